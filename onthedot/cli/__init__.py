"""Offers the engine as a command line."""
