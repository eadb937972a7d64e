"""Runs On the Dot on one machine. `make run` starts it."""
