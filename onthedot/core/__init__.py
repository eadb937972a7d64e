"""Decisions, pure: every time, id and random number comes in as an argument."""
