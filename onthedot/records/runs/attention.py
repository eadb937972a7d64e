"""What wants a person's attention: dead, missed, retrying and long runs stand in an index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.run_row import Life, Run

LISTED = frozenset({"dead", "missed", "retrying"})
LONG = "long"
NAMES = ("attention", "attention_at")

Marks = tuple[tuple[str, Any], ...]


def marks(run: Run, life: Life, now_ms: int) -> Marks:
    """Give the run's place among them, if its next life wants one that it has not got."""
    if life.status not in LISTED or run.attention == partition(run.tenant_id, life.status):
        return ()
    found = _marks(run, life.status, life, now_ms)
    return (*found, ("error_fp", _fingerprint(life))) if life.status == "dead" else found


def long_marks(run: Run, life: Life, now_ms: int) -> Marks:
    """List a running one that has used up most of its time, once."""
    return () if run.attention else _marks(run, LONG, life, now_ms)


def unmarked(run: Run, life: Life) -> tuple[str, ...]:
    """Name what a write must take off a row that no longer wants attention."""
    return NAMES if run.attention and life.status not in LISTED else ()


def partition(tenant_id: str, kind: str) -> str:
    """Give the index's partition of a tenant's runs of one kind."""
    return f"{tenant_id}#{kind}"


def _fingerprint(life: Life) -> str:
    """Tell which errors belong together; without one, its reason is what they have in common."""
    error: Mapping[str, str] = life.error or {}
    return error.get("fingerprint", life.reason)


def _marks(run: Run, kind: str, life: Life, now_ms: int) -> Marks:
    """The index shows attributes of the row only, not what stands inside its life."""
    return (
        ("status", life.status),
        ("reason", life.reason),
        ("attention", partition(run.tenant_id, kind)),
        ("attention_at", f"{now_ms:013}#{run.key}"),
    )
