"""Checks new definitions by the rules, with the networks that the operator allows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from onthedot.api.door.request import asked
from onthedot.api.schedules import tenant_reach
from onthedot.records.problems import Problem
from onthedot.records.tasks import payloads
from onthedot.registry import field_rules
from onthedot.targets import current_rules

PAYLOAD_BYTES_MAX = 256 * 1024
# Bytes. An item of the store has 400 kB: the rest is for the payload, calendars, names.
DEFINITION_BYTES_MAX = 280_000
# A letter has at most four bytes: a shorter body holds no payload that is too large.
_LETTERS_MIN = PAYLOAD_BYTES_MAX // 4


def check(fields: Mapping[str, Any]) -> None:
    """Refuses a conflict of fields, and a target that the worker would refuse later."""
    check_payload(fields.get("payload"))
    _check_size(fields)
    field_rules.check(fields)
    _check_target(fields)


def check_target(target: Mapping[str, Any], timeout_sec: int) -> None:
    """Refuses a stored target that could not be registered now."""
    _check_target({"target": target, "timeout_sec": timeout_sec})


def _check_target(fields: Mapping[str, Any]) -> None:
    current_rules.check(fields)
    tenant_reach.check_reach(fields["target"])


def check_payload(payload: Any) -> None:  # noqa: ANN401 any JSON
    """Refuses a payload that no run may carry."""
    if len(asked().body) < _LETTERS_MIN:
        return
    size = len(payloads.written(payload).encode())
    if size > PAYLOAD_BYTES_MAX:
        message = f"The payload has {size:,} bytes: expected {PAYLOAD_BYTES_MAX:,} at most."
        raise Problem("payload_too_large", message)


def _check_size(fields: Mapping[str, Any]) -> None:
    """Refuses what would not fit into one item. The store counts bytes, not letters."""
    told = {name: value for name, value in fields.items() if name != "payload"}
    size = len(json.dumps(told, ensure_ascii=False).encode())
    if size > DEFINITION_BYTES_MAX:
        message = (
            f"Without its payload it has {size:,} bytes: expected {DEFINITION_BYTES_MAX:,} at most."
        )
        raise Problem("payload_too_large", message)
