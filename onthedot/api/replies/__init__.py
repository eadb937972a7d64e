"""The shapes of what is answered, and the documents made from them.

Begin with `openapi.py`. No request loads this folder.
"""
