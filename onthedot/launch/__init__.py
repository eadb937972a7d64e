"""Launches runs that no tick fires: triggers, replays, backfills, catch-up after a pause.

Begin with `trigger.py`.
"""
