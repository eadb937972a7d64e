"""What a handler's author imports: declaring jobs, and reading what was declared."""
