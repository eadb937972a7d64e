"""Former versions of a task's spec: the target and the payload that runs of that time were given.

Where they did not change, no version is kept: the first one that was kept later has them.
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

# A hundred attempts of a day, each a day after the other, and 90 days of history: 290 days.
KEPT_SEC = 300 * 86_400
_PART = "spec#"
_LAST = f"{_PART}~"


@dataclass(frozen=True, slots=True)
class Sent:
    """What an attempt was given: its target, and its payload or where that lies."""

    target: Mapping[str, Any] | None
    payload: Any


NOTHING = Sent(None, None)
Which = Literal["sent", "current"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Which payload and which target a replay takes: what was sent, or what its task has now."""

    payload: Which = "sent"
    target: Which = "current"

    def as_json(self) -> dict[str, str]:
        """Write it for a loop, a plan and an answer."""
        return {"payload": self.payload, "target": self.target}


def of_task(task: Task) -> Sent:
    """Give what a run is given now."""
    return Sent(task.target, task.payload)


def differ(before: Task, after: Task) -> bool:
    """Tell whether runs of the one are given something else than runs of the other."""
    return (before.target, payloads.written(before.payload)) != (
        after.target,
        payloads.written(after.payload),
    )


def insert(before: Task, *, payload: str, until: int) -> Insert:
    """Keep what is edited until no run can refer to it; `payload` is what its spec says."""
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
    """Give the sort key under which a version is kept."""
    return f"{_PART}{version:010}"


def since(version: int) -> tuple[str, str]:
    """Give the sort keys between which the versions from one on are kept."""
    return part(version), _LAST


def parse(item: Mapping[str, Any]) -> Sent:
    """Read one."""
    return Sent(item["target"], payloads.read(item["payload"]))


def version_of(run: Run) -> int:
    """Tell by which version a run's newest attempt was called; 0: it was not.

    A former release did not note it: the version that the run obeyed comes next to it.
    """
    life = run.life
    return (life.version or life.tv) if life.attempt else 0
