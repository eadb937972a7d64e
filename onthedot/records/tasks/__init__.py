"""Describes the items of a task: its spec, its cursor, and what follows from them.

Begin with `task_spec.py`. Pure.
"""
