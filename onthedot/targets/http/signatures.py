"""Signs by Standard Webhooks: HMAC-SHA256 over id, timestamp and body, once per live secret."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Iterable
from hashlib import sha256

PREFIX = "whsec_"


class BadSecret(ValueError):  # noqa: N818 it says what it is
    """A secret does not have the form that is needed. Its value is never shown."""


def keys(secret: str) -> list[bytes]:
    """Reads the live secrets, separated by spaces: old and new during a rotation."""
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
    """Writes the value of `webhook-signature`. The receiver accepts any one that matches."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(
        f"v1,{b64encode(hmac.new(key, signed, sha256).digest()).decode()}" for key in secrets
    )
