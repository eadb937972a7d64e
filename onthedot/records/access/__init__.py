"""The items of who may call: API keys, the trail, tokens of pages and plans.

Begin with `api_key.py`. Pure.
"""
