"""Who may run now and who waits, for a task whose runs may not overlap freely."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.core.keys import GATE
from onthedot.core.task import Task
from onthedot.core.writes import Clause, Insert, Update, Write

TABLE = "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The runs that hold and those that wait, oldest first; `rev` guards every change."""

    task_id: str
    rev: int = 0
    holders: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    def without(self, keys: Collection[str]) -> Gate:
        """Drop runs from both lists."""
        return replace(
            self,
            holders=tuple(key for key in self.holders if key not in keys),
            waiting=tuple(key for key in self.waiting if key not in keys),
        )

    def names(self, key: str) -> bool:
        """Tell whether the run holds or waits."""
        return key in self.holders or key in self.waiting


def parse(task_id: str, item: Mapping[str, Any] | None) -> Gate:
    """Read the gate; one that is not there yet is open and empty."""
    if item is None:
        return Gate(task_id=task_id)
    lists = item["lists"]
    return Gate(
        task_id=task_id,
        rev=item["rev"],
        holders=tuple(lists["holders"]),
        waiting=tuple(lists["waiting"]),
    )


def write(seen: Gate, wanted: Gate) -> Write:
    """Compare and set on `rev`."""
    lists = {"holders": list(wanted.holders), "waiting": list(wanted.waiting)}
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
    """Take a place, leaving the gate so."""

    gate: Gate


@dataclass(frozen=True, slots=True)
class Wait:
    """Join those who wait, leaving the gate so; `drop` are to be cancelled, `wake` is first."""

    gate: Gate
    drop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turned:
    """Turned away, with this outcome."""

    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Have:
    """The place is its own already."""


Entry = Have | Enter | Wait | Turned


def guarded(task: Task) -> bool:
    """Tell whether runs of the task pass a gate at all."""
    return task.overlap != "allow" or task.max_concurrent is not None


def places(task: Task) -> int:
    """Give how many runs of the task may hold it at once."""
    return task.max_concurrent or 1


def waits(task: Task) -> bool:
    """Tell whether anybody may wait there; where nobody does, a place need not be given up.

    The next one that comes finds the holder final.
    """
    return guarded(task) and task.overlap != "skip"


def enter(gate: Gate, key: str, task: Task, order: Mapping[str, int]) -> Entry:
    """Decide over a run at the gate; `gate` names open runs only, `order` is their due time."""
    if key in gate.holders:
        return Have()
    first = not gate.waiting or gate.waiting[0] == key
    if len(gate.holders) < places(task) and first:
        rest = gate.without([key])
        return Enter(replace(rest, holders=(*rest.holders, key)))
    if key in gate.waiting:
        # Those it waits for were to be cancelled; whoever missed that is told again.
        return Wait(gate, drop=gate.holders if task.overlap == "cancel_previous" else ())
    match task.overlap:
        case "skip":
            return Turned("skipped", "overlap")
        case "cancel_previous":
            return _replace_previous(gate, key, order)
        case _:
            if len(gate.waiting) >= task.queue_max:
                return Turned("skipped", "queue_full")
            return Wait(replace(gate, waiting=(*gate.waiting, key)))


def _replace_previous(gate: Gate, key: str, order: Mapping[str, int]) -> Entry:
    """The newest wins: a late older run gives way, and all others are cancelled."""
    mine = (order[key], key)
    others = (*gate.holders, *gate.waiting)
    if any((order[other], other) > mine for other in others):
        return Turned("cancelled", "previous")
    return Wait(replace(gate, waiting=(key,)), drop=others)
