"""Calls handlers in `jobs/`: their context, their steps, what they return or raise.

Begin with `handler_target.py`.
"""
