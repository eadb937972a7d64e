"""Serves the routes of schedules, tasks and calendars.

Begin with `schedule_writes.py`.
"""
