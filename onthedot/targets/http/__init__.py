"""Calls over http: addresses that are allowed, kept connections, templates, signatures.

Begin with `http_target.py`. It knows nothing of runs but the call.
"""
