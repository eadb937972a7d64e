"""The API from a program: `onthedot.Client`."""
