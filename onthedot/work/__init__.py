"""Takes a message to an outcome: received, loaded, held, admitted, started, ended.

Begin with `worker.py`, then `decision_table.py`.
"""
