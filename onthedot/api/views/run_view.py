"""Shows a run as callers see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.keys import is_slot_key
from onthedot.records.runs import attempts
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.kept_versions import Sent
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import local, moment
from onthedot.schedule.time.instants import parse_nominal as instant_of
from onthedot.schedule.time.zones import zone
from onthedot.schedule.words.dst_notes import note_of
from onthedot.targets.attempt_outcome import delivers


def view(run: Run, task: Task, sent: Sent, *, log_group: str | None = None) -> dict[str, Any]:
    """Shows a run with all of its attempts. Purged fields are gone."""
    life = run.life
    begun, end = life.attempt, life.end
    return {
        **summary(run, task),
        "note": _note(run, task),
        "worker": (begun and begun.owner) or None,
        "lease_until": moment(life.lease_ms),
        "retry_at": moment(life.due_ms) if life.status == Status.RETRYING else None,
        "called_at": moment(life.called_ms or 0),
        "lag_ms": life.lag_ms,
        "schedule_version": life.schedule_version,
        "target": sent.target,
        "payload": None if run.purged_ms else sent.payload,
        "result": end and end.result,
        "error": (end and end.error) or None,
        "progress": life.progress,
        "attempts": [_attempt(attempt, log_group) for attempt in attempts.all_of(life)],
        "cancel_requested_at": moment(run.cancel_ms),
        "cancelled_by": run.cancel_by or None,
        "replayed_by": run.replayed_by or None,
        "replayed_at": moment(run.replayed_ms),
        "backfill_id": run.backfill_id or None,
        "purged_at": moment(run.purged_ms),
    }


def summary(run: Run, task: Task) -> dict[str, Any]:
    """Shows a run in a list."""
    life = run.life
    begun, end = life.attempt, life.end
    slot = slot_of(run)
    return {
        "run_id": run.run_id,
        "task_id": run.task_id,
        "name": task.name or None,
        "tenant_id": run.tenant_id,
        "origin": run.origin,
        "status": life.status.value,
        "reason": life.reason.value or None,
        "completion": _completion(run, task),
        "scheduled_for": slot,
        "local": local(zone(task.schedule.timezone), instant_of(slot)) if slot else None,
        "due_at": moment(life.due_first_ms),
        "claimed_at": moment(life.claimed_ms),
        "started_at": moment(begun.started_ms) if begun else None,
        "ended_at": moment(end.ended_ms) if end else None,
        "duration_ms": end.ended_ms - begun.started_ms if begun and end else None,
        "attempt": life.starts,
        "max_attempts": task.max_attempts,
        "priority": task.priority,
        "range": run.span,
        "replay_of": run.replay_of or None,
        "replayed_as": run.replayed_as or None,
    }


def slot_of(run: Run) -> str | None:
    """Returns the slot of a run."""
    return run.slot or (run.key if is_slot_key(run.key) else None)


def _completion(run: Run, task: Task) -> str | None:
    if run.life.status != Status.SUCCEEDED:
        return None
    # The row of a former release's run does not say it.
    begun, end = run.life.attempt, run.life.end
    noted = end.delivered if end and begun and begun.version else delivers(task.target)
    return "delivered" if noted else "completed"


def _note(run: Run, task: Task) -> str | None:
    """Returns a note on it: by its handler, or about its slot."""
    said = run.life.end.note if run.life.end else ""
    if said or not is_slot_key(run.key):
        return said or None
    if run.life.schedule_version != task.schedule_version:
        return None
    note = note_of(task.schedule, instant_of(run.key))
    return note.sentence if note else None


def _attempt(attempt: Mapping[str, Any], log_group: str | None) -> dict[str, Any]:
    started_ms, ended_ms = attempt.get("started_ms", 0), attempt.get("ended_ms", 0)
    return {
        "attempt": attempt["attempt"],
        "worker": attempt.get("worker"),
        "version": attempt.get("version"),
        "started_at": moment(started_ms),
        "ended_at": moment(ended_ms),
        "duration_ms": ended_ms - started_ms if started_ms and ended_ms else None,
        "outcome": attempt["outcome"],
        "error": attempt.get("error"),
        "log": {"group": log_group, "stream": attempt["log"]} if attempt.get("log") else None,
    }
