"""Describes the attempts of a run: what the row keeps of earlier ones, and how the newest ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.run_row import Life

ATTEMPTS_KEPT = 50
_OUTCOMES = {"succeeded": "succeeded", "skipped": "skipped", "cancelled": "cancelled"}


def attempt_record(life: Life, outcome: str, now_ms: int) -> dict[str, Any]:
    """Returns the record of an attempt, made before the row moves on."""
    record = {
        "attempt": life.attempt,
        "worker": life.owner,
        "started_ms": life.started_ms,
        "ended_ms": now_ms,
        "outcome": outcome,
    }
    kept = {name: value for name in ("version", "error", "log") if (value := getattr(life, name))}
    return record | kept


def all_of(life: Life) -> list[Mapping[str, Any]]:
    """Returns every attempt, the newest last. The row has no record of the newest one yet."""
    told = any(
        one["attempt"] == life.attempt and one["outcome"] != "stale" for one in life.attempts
    )
    if not life.attempt or told:
        return list(life.attempts)
    newest = attempt_record(life, "", life.ended_ms)
    return [*life.attempts, {**newest, "outcome": _outcome(life)}]


def _outcome(life: Life) -> str | None:
    """Returns the outcome of the newest attempt, if it has ended."""
    if life.status != "dead":
        return _OUTCOMES.get(life.status)
    if not life.error:
        return "lost"
    return "timed_out" if life.error.get("type") == "TimedOut" else "failed"
