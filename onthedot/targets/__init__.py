"""Calls targets, and judges their answers.

Begin with `call.py` and `attempt_outcome.py`. This room knows no gates and no messages.
"""
