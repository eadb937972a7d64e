"""Defines the shapes of answers, and makes documents from them.

Begin with `openapi.py`. No request loads this folder.
"""
