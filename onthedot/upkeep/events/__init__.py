"""Tells of what happened: events are put together and sent to their destinations.

Begin with `notifications.py`.
"""
