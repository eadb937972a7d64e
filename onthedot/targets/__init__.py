"""How a target is called, and how its answer is judged.

Begin with `call.py` and `attempt_outcome.py`. It knows no gates and no messages.
"""
