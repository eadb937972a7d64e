"""What goes on minute by minute: the audit, repairs, ended pauses, sweeps, figures.

Begin with `minute.py`.
"""
