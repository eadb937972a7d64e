"""Takes due tasks to sent messages: they are planned, claimed, sent and advanced.

Begin with `dispatcher.py`, then `due_plan.py` and `plan_effects.py`.
"""
