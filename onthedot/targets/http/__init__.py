"""Calls targets over http: allowed addresses, kept connections, templates, signatures.

Begin with `http_target.py`. Of a run it knows only the call.
"""
