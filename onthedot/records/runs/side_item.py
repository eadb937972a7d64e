"""What a run has in place of its task's payload and target: an item that lies beside its row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import payload_key
from onthedot.records.runs.run_row import TABLE, Run
from onthedot.records.tasks import payloads

# A hundred attempts of a day, each a day after the other, and 90 days of history: 290 days.
_KEPT_SEC = 400 * 86_400


@dataclass(frozen=True, slots=True)
class Own:
    """Its own payload, or where that lies, and its own target; None is its task's."""

    payload: Any = None
    target: Mapping[str, Any] | None = None


def key(task_id: str, run_key: str) -> dict[str, str]:
    """Give the item's key."""
    return {"task_id": task_id, "scheduled_for": payload_key(run_key)}


def item(run: Run, *, payload: str | None, target: Mapping[str, Any] | None) -> dict[str, Any]:
    """Write it; the payload as it is stored."""
    kept = {"payload": payload, "target": target}
    return {
        **key(run.task_id, run.key),
        **{name: value for name, value in kept.items() if value is not None},
        "expires_at": run.life.due_ms // 1000 + _KEPT_SEC,
    }


def parse(found: Mapping[str, Any] | None) -> Own:
    """Read it."""
    if found is None:
        return Own()
    payload = payloads.read(found["payload"]) if "payload" in found else None
    return Own(payload, found.get("target"))


def without_payload(run: Run) -> Update:
    """Drop the payload of a run that has a target of its own, too."""
    beside = key(run.task_id, run.key)
    there = Clause.equal("scheduled_for", beside["scheduled_for"])
    return Update(TABLE, tuple(beside.items()), (), (there,), removes=("payload",))
