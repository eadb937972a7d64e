"""Describes the items of a run: its row, its gate, its permits, the message that names it.

Begin with `run_row.py` and `run_writes.py`. Pure.
"""
