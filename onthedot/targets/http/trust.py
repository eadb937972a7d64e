"""Decides which certificates of targets are good: the same on every Python."""

from __future__ import annotations

import os
import ssl

# A file with certificates of one's own authorities, beside those of the system.
VARIABLE = "TARGET_CA_BUNDLE"


def made() -> ssl.SSLContext:
    """Makes the context of all https calls. It takes 16 ms, so it is made once, at import.

    From 3.13 on Python refuses certificates without key identifiers, which public authorities
    still issue; before 3.13 it wants the whole chain up to a root.
    """
    context = ssl.create_default_context()
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if bundle := os.environ.get(VARIABLE):
        context.load_verify_locations(bundle)
    return context
