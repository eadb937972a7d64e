"""Knows time zones, the calendar and instants, from the pinned tzdata.

Begin with `zones.py`. This room knows no expressions.
"""
