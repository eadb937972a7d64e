"""Turns text into masks, masks into instants, and instants into English.

Begin with `schedule.py`. Pure: this room imports no other room.
"""
