"""What a user's write does: create, edit, pause, resume, delete, calendars, code.

Begin with `edit.py`.
"""
