"""Lets outside workers lease, keep and settle runs.

Begin with `lease.py`.
"""
