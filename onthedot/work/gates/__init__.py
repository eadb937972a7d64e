"""Decides who may start now and who waits: overlap, concurrency keys, quotas, late runs.

Begin with `overlap.py`.
"""
