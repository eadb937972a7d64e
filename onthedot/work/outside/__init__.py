"""Runs that outside workers lease, keep and settle.

Begin with `lease.py`.
"""
