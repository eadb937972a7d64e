"""Defines the shapes of what callers send.

Begin with `schedule_shapes.py`.
"""
