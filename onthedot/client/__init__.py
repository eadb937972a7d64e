"""Offers the API to programs: `onthedot.Client`."""
