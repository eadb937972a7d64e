"""Standard Webhooks signatures: HMAC-SHA256 over id, timestamp and body, one a live secret."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Iterable
from hashlib import sha256

PREFIX = "whsec_"


class BadSecret(ValueError):  # noqa: N818 it says what it is
    """A secret is not of the form that it is needed in; what it is, nobody is told."""


def keys(secret: str) -> list[bytes]:
    """Read the live secrets, separated by spaces: the old one beside the new while they rotate."""
    found = [_key(one) for one in secret.split()]
    if not found:
        raise BadSecret("the signing secret is empty: expected whsec_ and base64 after it")
    return found


def _key(one: str) -> bytes:
    try:
        return b64decode(one.removeprefix(PREFIX), validate=True)
    except NoBase64:
        raise BadSecret("the signing secret is no base64 after whsec_") from None


def header(secrets: Iterable[bytes], *, message_id: str, timestamp: int, body: bytes) -> str:
    """Write the value of `webhook-signature`; the receiver takes any one that fits."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(
        f"v1,{b64encode(hmac.new(key, signed, sha256).digest()).decode()}" for key in secrets
    )
