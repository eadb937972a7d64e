"""Serves the routes of the operator: tenants, keys, trail, health.

Begin with `tenants.py`.
"""
