"""The shapes of what callers write.

Begin with `schedule_shapes.py`.
"""
