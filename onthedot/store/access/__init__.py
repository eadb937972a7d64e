"""Reads and writes the table `access`, for the api function only.

Begin with `access_table.py`. The rooms `dispatch` and `work` never import it.
"""
