"""Describes what is stored: items, keys, and every conditional write as a value.

Begin with `keys.py` and `conditional_writes.py`. Pure: it imports the room `schedule` only.
"""
