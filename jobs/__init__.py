"""Your own handlers: every module of this folder is imported, and its jobs are found by name."""
