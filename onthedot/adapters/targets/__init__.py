"""What a run calls: one module a type of target."""
