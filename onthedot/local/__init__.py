"""On the Dot on one machine: what `make run` starts."""
