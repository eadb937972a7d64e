"""Reads secrets by reference from Secrets Manager or SSM. They stay in memory for a minute only."""

from __future__ import annotations

import time

from onthedot.store import aws
from onthedot.targets.http.signatures import BadSecret

KEPT_SEC = 60.0
_SSM = "ssm:"
_kept: dict[str, tuple[float, str]] = {}


def reveal(ref: str) -> str:
    """Looks a secret up. A change is seen within a minute."""
    until, value = _kept.get(ref, (0.0, ""))
    if time.monotonic() >= until:
        value = _looked_up(ref)
        _kept[ref] = (time.monotonic() + KEPT_SEC, value)
    return value


def _looked_up(ref: str) -> str:
    if ref.startswith(_SSM):
        answer = aws.client("ssm").get_parameter(Name=ref.removeprefix(_SSM), WithDecryption=True)
        return str(answer["Parameter"]["Value"])
    answer = aws.client("secretsmanager").get_secret_value(SecretId=ref)
    if "SecretString" not in answer:
        raise BadSecret(f"{ref} holds bytes: expected a secret that is a text")
    return str(answer["SecretString"])
