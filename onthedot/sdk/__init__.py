"""Offers what a handler's author imports: it declares jobs, and reads what was declared."""
