"""Keeps former versions of a task's spec: the target and the payload that its runs got then.

A version without a change is not kept: the next kept version has its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from onthedot.records.conditional_writes import Insert
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import payloads
from onthedot.records.tasks.task_spec import TABLE, Task
from onthedot.schedule.time.instants import nominal

# Seconds: a hundred attempts, each a day after the last, and 90 days of history, and some more.
KEPT_SEC = 300 * 86_400
_PART = "spec#"
_LAST = f"{_PART}~"


@dataclass(frozen=True, slots=True)
class Sent:
    """What an attempt got: its target, and its payload or where that is stored."""

    target: Mapping[str, Any] | None
    payload: Any


NOTHING = Sent(None, None)
Which = Literal["sent", "current"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Which payload and target a replay uses: what was sent, or what the task has now."""

    payload: Which = "sent"
    target: Which = "current"

    def as_json(self) -> dict[str, str]:
        """Writes it for a bulk operation, a plan and an answer."""
        return {"payload": self.payload, "target": self.target}


def of_task(task: Task) -> Sent:
    """Returns what a run gets now."""
    return Sent(task.target, task.payload)


def differ(before: Task, after: Task) -> bool:
    """Tells whether the runs of two versions get something different."""
    return (before.target, payloads.written(before.payload)) != (
        after.target,
        payloads.written(after.payload),
    )


def insert(before: Task, *, payload: str, until: int) -> Insert:
    """Keeps the former version until no run can refer to it. `payload` is in its stored form."""
    item = {
        "task_id": before.task_id,
        "part": part(before.version),
        "target": before.target,
        "payload": payload,
        "until": nominal(until),
        "expires_at": until + KEPT_SEC,
    }
    return Insert(TABLE, item, ("task_id", "part"))


def part(version: int) -> str:
    """Returns the sort key under which a version is kept."""
    return f"{_PART}{version:010}"


def since(version: int) -> tuple[str, str]:
    """Returns the sort keys of all kept versions from this one on."""
    return part(version), _LAST


def parse(item: Mapping[str, Any]) -> Sent:
    return Sent(item["target"], payloads.read(item["payload"]))


def version_of(run: Run) -> int:
    """Returns the version that a run's newest attempt used; 0 if it had none.

    A former release did not record it. The version that the run obeyed is the nearest.
    """
    life = run.life
    return (life.attempt.version or life.tv) if life.attempt else 0
