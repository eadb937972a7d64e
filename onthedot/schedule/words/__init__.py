"""A schedule in English: phrases, previews, warnings.

Begin with `explanation.py`. It is written from the masks, never from the text.
"""
