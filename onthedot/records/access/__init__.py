"""Describes who may call: API keys, the audit trail, tokens of pages and plans.

Begin with `api_key.py`. Pure.
"""
