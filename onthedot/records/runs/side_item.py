"""Describes a run's own payload and target: an item beside its row, used instead of the task's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import item_key, payload_key
from onthedot.records.runs.run_row import TABLE, Run
from onthedot.records.tasks import payloads

# Seconds: a hundred attempts, each a day after the last, and 90 days of history, and some more.
_KEPT_SEC = 400 * 86_400


@dataclass(frozen=True, slots=True)
class Own:
    """Its own payload, or where that is stored, and its own target. None means the task's."""

    payload: Any = None
    target: Mapping[str, Any] | None = None


def key(task_id: str, run_key: str) -> dict[str, str]:
    """Returns the item's key."""
    return item_key(task_id, payload_key(run_key))


def item(run: Run, *, payload: str | None, target: Mapping[str, Any] | None) -> dict[str, Any]:
    """Writes the item. The payload is in its stored form."""
    kept = {"payload": payload, "target": target}
    return {
        **key(run.task_id, run.key),
        **{name: value for name, value in kept.items() if value is not None},
        "expires_at": run.life.due_ms // 1000 + _KEPT_SEC,
    }


def parse(found: Mapping[str, Any] | None) -> Own:
    if found is None:
        return Own()
    payload = payloads.read(found["payload"]) if "payload" in found else None
    return Own(payload, found.get("target"))


def without_payload(run: Run) -> Update:
    """Deletes the payload of a run, even if the run has a target of its own."""
    beside = key(run.task_id, run.key)
    there = Clause.equal("scheduled_for", beside["scheduled_for"])
    return Update(TABLE, tuple(beside.items()), (), (there,), removes=("payload",))
