"""Decides who runs now and who waits, for a task whose runs may not overlap freely."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.records.conditional_writes import Clause, Insert, Update, Write
from onthedot.records.keys import GATE
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.misfire import is_late
from onthedot.records.tasks.task_spec import Task

TABLE = "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The runs that hold a place and those that wait, oldest first. `rev` guards every change."""

    task_id: str
    rev: int = 0
    holders: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    # Holders that waited for their place. They may not have started yet.
    stood: tuple[str, ...] = ()
    # The holders that catch up. `since` is the first key of those that wait in line to catch up;
    # their rows tell which they are.
    late: tuple[str, ...] = ()
    since: str = ""

    @property
    def catches_up(self) -> bool:
        """Tells whether late slots run or wait in line."""
        return bool(self.late or self.since)

    def without(self, keys: Collection[str]) -> Gate:
        """Removes runs from all lists."""
        return replace(
            self,
            holders=tuple(key for key in self.holders if key not in keys),
            waiting=tuple(key for key in self.waiting if key not in keys),
            stood=tuple(key for key in self.stood if key not in keys),
            late=tuple(key for key in self.late if key not in keys),
        )

    def entered(self, key: str) -> Gate:
        """Gives a place to a run, and records whether the run waited for it."""
        rest = self.without([key])
        stood = (*rest.stood, key) if key in self.waiting else rest.stood
        return replace(rest, holders=(*rest.holders, key), stood=stood)

    def names(self, key: str) -> bool:
        """Tells whether the run holds a place or waits."""
        return key in self.holders or key in self.waiting

    def waited(self, key: str) -> bool:
        """Tells whether the run waits in the line, or waited there for its place."""
        return key in self.waiting or key in self.stood


def parse(task_id: str, item: Mapping[str, Any] | None) -> Gate:
    """Reads the gate. A gate that does not exist yet is open and empty."""
    if item is None:
        return Gate(task_id=task_id)
    lists = item["lists"]
    return Gate(
        task_id=task_id,
        rev=item["rev"],
        holders=tuple(lists["holders"]),
        waiting=tuple(lists["waiting"]),
        stood=tuple(lists.get("stood", ())),
        late=tuple(lists.get("late", ())),
        since=lists.get("since", ""),
    )


def write(seen: Gate, wanted: Gate) -> Write:
    """Writes the gate if `rev` is still the one that was seen."""
    lists: dict[str, Any] = {"holders": list(wanted.holders), "waiting": list(wanted.waiting)}
    # Most tasks never need these lists, and store nothing for them.
    lists |= {"stood": list(wanted.stood)} if wanted.stood else {}
    lists |= {"late": list(wanted.late)} if wanted.late else {}
    lists |= {"since": wanted.since} if wanted.since else {}
    if not seen.rev:
        item = {"task_id": seen.task_id, "scheduled_for": GATE, "rev": 1, "lists": lists}
        return Insert(TABLE, item, ("task_id", "scheduled_for"))
    return Update(
        TABLE,
        (("task_id", seen.task_id), ("scheduled_for", GATE)),
        (("lists", lists), ("rev", seen.rev + 1)),
        (Clause.equal("rev", seen.rev),),
    )


@dataclass(frozen=True, slots=True)
class Enter:
    """The run takes a place, and the gate changes to this."""

    gate: Gate


@dataclass(frozen=True, slots=True)
class Wait:
    """The run joins those who wait, and the gate changes to this. `drop` are to be cancelled."""

    gate: Gate
    drop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turned:
    """The run is turned away with this outcome."""

    status: Status
    reason: Reason


@dataclass(frozen=True, slots=True)
class Have:
    """The run has its place already."""


Entry = Have | Enter | Wait | Turned


def guarded(task: Task) -> bool:
    """Tells whether runs of the task pass a gate."""
    return task.overlap != "allow" or task.max_concurrent is not None


def places(task: Task) -> int:
    """Returns how many runs of the task may hold a place at once."""
    return task.max_concurrent or 1


def waits(task: Task) -> bool:
    """Tells whether runs may wait at the gate. If none may, a place need not be given up.

    The next run then sees that the holder is final.
    """
    return guarded(task) and task.overlap != "skip"


def comes_before(other: Run, run: Run, gate: Gate, now_ms: int) -> bool:
    """Tells whether another run is due before this one and is not yet at the gate or started."""
    life = other.life
    if life.status != Status.CLAIMED or life.attempt or gate.names(other.key):
        return False
    # Late runs have a line of their own, or do not run.
    if other.origin == "catchup" or is_late(life.due_ms, now_ms):
        return False
    return (life.due_ms, other.key) < (run.life.due_ms, run.key)


def ordered(task: Task) -> bool:
    """Tells whether the task's runs start in the order of their due times: no run gives way."""
    return waits(task) and task.overlap != "cancel_previous"


def enter(
    gate: Gate,
    key: str,
    task: Task,
    order: Mapping[str, int],
    *,
    older: Callable[[], bool] = lambda: False,
) -> Entry:
    """Decides about a run at the gate. `gate` names open runs only; `order` has their due times.

    `older` tells whether a run with an earlier due time has not come to the gate yet.
    """
    if key in gate.holders:
        return Have()
    line = tuple(sorted({*gate.waiting, key}, key=lambda each: (order[each], each)))
    if len(gate.holders) < places(task) and line[0] == key and not older():
        return Enter(gate.entered(key))
    if key in gate.waiting:
        # The holders were to be cancelled. A run that missed the request gets it again.
        return Wait(gate, drop=gate.holders if task.overlap == "cancel_previous" else ())
    match task.overlap:
        case "skip":
            return Turned(Status.SKIPPED, Reason.OVERLAP)
        case "cancel_previous":
            return _replace_previous(gate, key, order)
        case _:
            if len(gate.waiting) >= task.queue_max:
                return Turned(Status.SKIPPED, Reason.QUEUE_FULL)
            return Wait(replace(gate, waiting=line))


def _replace_previous(gate: Gate, key: str, order: Mapping[str, int]) -> Entry:
    """Lets the newest run win. A late older run gives way, and all others are cancelled."""
    mine = (order[key], key)
    others = (*gate.holders, *gate.waiting)
    if any((order[other], other) > mine for other in others):
        return Turned(Status.CANCELLED, Reason.PREVIOUS)
    return Wait(replace(gate, waiting=(key,)), drop=others)
