"""Time zones, the calendar and instants, from the pinned tzdata.

Begin with `zones.py`. It knows no expressions.
"""
