"""The command line: one of the doors to the engine."""
