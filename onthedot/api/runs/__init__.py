"""Serves the routes of runs, leases and dead letters.

Begin with `run_list.py`.
"""
