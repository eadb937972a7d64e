"""Reads a cron expression, a rate or an `at` into masks, or says what is wrong with it.

Begin with `cron.py`. This room knows no zones and no tasks.
"""
