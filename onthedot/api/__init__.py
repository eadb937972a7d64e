"""Takes HTTP requests and returns HTTP answers.

Begin with `app.py`, then `door/routes.py`.
"""
