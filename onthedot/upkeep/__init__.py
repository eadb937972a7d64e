"""Does what goes on each minute: the audit, repairs, ended pauses, sweeps, figures.

Begin with `minute.py`.
"""
