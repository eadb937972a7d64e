"""Lists runs that need a person in an index: dead, missed, retrying and long ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Status

LISTED = frozenset({Status.DEAD, Status.MISSED, Status.RETRYING})
LONG = "long"
NAMES = ("attention", "attention_at")

Marks = tuple[tuple[str, Any], ...]


def marks(run: Run, life: Life, now_ms: int) -> Marks:
    """Returns the run's place in the index, if its next life needs one that it does not have."""
    if life.status not in LISTED or run.attention == partition(run.tenant_id, life.status):
        return ()
    found = _marks(run, life.status, life, now_ms)
    return (*found, ("error_fp", _fingerprint(life))) if life.status == Status.DEAD else found


def long_marks(run: Run, life: Life, now_ms: int) -> Marks:
    """Lists a running run that has used most of its time, only once."""
    return () if run.attention else _marks(run, LONG, life, now_ms)


def unmarked(run: Run, life: Life) -> tuple[str, ...]:
    """Returns the attributes to remove from a row that no longer needs attention."""
    return NAMES if run.attention and life.status not in LISTED else ()


def partition(tenant_id: str, kind: str) -> str:
    """Returns the index's partition of a tenant's runs of one kind."""
    return f"{tenant_id}#{kind}"


def _fingerprint(life: Life) -> str:
    """Returns the fingerprint that similar errors share. Without an error it is the reason."""
    error: Mapping[str, str] = life.its_end.error or {}
    return error.get("fingerprint", life.reason.value)


def _marks(run: Run, kind: str, life: Life, now_ms: int) -> Marks:
    """Returns the attributes for the index. It cannot show what is inside the life."""
    return (
        ("status", life.status.value),
        ("reason", life.reason.value),
        ("attention", partition(run.tenant_id, kind)),
        ("attention_at", f"{now_ms:013}#{run.key}"),
    )
