"""A value in, one call, a value out."""
