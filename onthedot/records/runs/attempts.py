"""Describes the attempts of a run: what the row keeps of earlier ones, and how the newest ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.run_row import Attempt, Life
from onthedot.records.runs.run_status import Reason, Status

ATTEMPTS_KEPT = 50


def attempt_record(
    attempt: Attempt, outcome: str | None, now_ms: int, error: object = None
) -> dict[str, Any]:
    """Returns the record of an attempt, made before the row moves on."""
    record = {
        "attempt": attempt.number,
        "worker": attempt.owner,
        "started_ms": attempt.started_ms,
        "ended_ms": now_ms,
        "outcome": outcome,
    }
    kept = {"version": attempt.version, "error": error, "log": attempt.log}
    return record | {name: value for name, value in kept.items() if value}


def all_of(life: Life) -> list[Mapping[str, Any]]:
    """Returns every attempt, the newest last. The row has no record of the newest one yet."""
    told = any(one["attempt"] == life.starts and one["outcome"] != "stale" for one in life.attempts)
    if life.attempt is None or told:
        return list(life.attempts)
    ended_ms, error = (life.end.ended_ms, life.end.error) if life.end else (0, None)
    return [*life.attempts, attempt_record(life.attempt, _outcome(life), ended_ms, error)]


def _outcome(life: Life) -> str | None:
    """Returns the outcome of the newest attempt, if it has ended."""
    match life.status:
        case Status.SUCCEEDED | Status.SKIPPED | Status.CANCELLED:
            return life.status.value
        case Status.DEAD:
            return _outcome_of(life.its_end.error).value
    return None


def _outcome_of(error: Mapping[str, Any] | None) -> Reason:
    """Returns the outcome of the last attempt of a dead run."""
    if not error:
        return Reason.LOST
    return Reason.TIMED_OUT if error.get("type") == "TimedOut" else Reason.FAILED
