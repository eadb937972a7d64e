"""HTTP in, HTTP out.

Begin with `request_flow.py`, then `door/routes.py`.
"""
