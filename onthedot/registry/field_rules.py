"""Checks fields against each other and against ids, beyond their own limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.problems import Fault, of_faults
from onthedot.registry.defaults import COMMON

_ID_PREFIXES = ("sch_", "tsk_")
_CODE = "code:"


def check(fields: Mapping[str, Any]) -> None:
    """Refuses a name that reads as an id, and a backoff whose start is above its own cap."""
    faults: list[Fault] = []
    if str(fields.get("name", "")).startswith(_ID_PREFIXES):
        message = f"'{fields['name']}' looks like an id: expected no sch_ or tsk_ at its start."
        faults.append(_fault("/name", "name", message))
    retry = COMMON["retry"] | fields.get("retry", {})
    if retry["base_sec"] > retry["cap_sec"]:
        message = f"base_sec is {retry['base_sec']}: expected cap_sec ({retry['cap_sec']}) or less."
        faults.append(_fault("/retry/base_sec", "base_sec", message))
    if faults:
        raise of_faults("invalid_field", faults)


def check_new(fields: Mapping[str, Any]) -> None:
    """Refuses a new schedule that is neither active nor paused."""
    status = fields.get("status", "active")
    if status not in ("active", "paused"):
        message = f"A new schedule cannot be {status}: expected active or paused."
        raise of_faults("invalid_field", [_fault("/status", "status", message)])


def of_code(managed_by: str) -> bool:
    """Tells whether code declares it, so that deployments make, change and end it."""
    return managed_by.startswith(_CODE)


def check_owner(fields: Mapping[str, Any], before: str = "") -> None:
    """Lets only a deployment give a schedule to the code: the next one would end any other."""
    owner = fields.get("managed_by", "")
    if of_code(owner) and owner != before:
        message = f"managed_by is '{owner}', which only deployments write: expected another owner."
        raise of_faults("invalid_field", [_fault("/managed_by", "managed_by", message)])


def _fault(pointer: str, field: str, message: str) -> Fault:
    return Fault(pointer=pointer, code="bad_value", message=message, field=field)
