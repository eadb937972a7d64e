"""The items of a run: its row, its gate, its permits, the message that names it.

Begin with `run_row.py` and `moves.py`. Pure.
"""
