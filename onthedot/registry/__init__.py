"""Does what a user's write asks: create, edit, pause, resume, delete, calendars, code.

Begin with `edit.py`.
"""
