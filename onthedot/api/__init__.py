"""Takes HTTP requests and returns HTTP answers.

Begin with `request_flow.py`, then `door/routes.py`.
"""
