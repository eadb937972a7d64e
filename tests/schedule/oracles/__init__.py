"""Oracles: slow and simple models of what a schedule means, written from semantics.md only."""
