"""Describes the items of a task: its spec, its cursor, and what follows from them.

Begin with `task_spec.py`. `task_fields.py` lists what a user may define. Pure.
"""
