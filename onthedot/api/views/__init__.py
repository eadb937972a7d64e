"""Shows stored things as callers see them.

Begin with `schedule_view.py` and `run_view.py`.
"""
