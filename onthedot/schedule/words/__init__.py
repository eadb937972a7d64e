"""Writes a schedule in English: phrases, previews, warnings.

Begin with `phrases.py`. The words come from the masks, never from the text.
"""
