"""Registers new tasks, and dispatches those that are due soon. `edit` changes them later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onthedot.dispatch.dispatcher import dispatch_inline
from onthedot.records.conditional_writes import Insert, Outcome, Part
from onthedot.records.tasks import task_cursor, task_spec
from onthedot.records.tasks.payloads import of_task
from onthedot.records.tasks.task_items import cursor, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.registry import lifecycle
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer
from onthedot.store.payloads import stored
from onthedot.store.tasks import read

_TRIES = 8


def create_with(task: Task, also: Sequence[Part]) -> Task | None:
    """Registers a task together with other items. None: one of those is taken."""
    born = lifecycle.born(task, clock.now_ms() // 1000)
    items = [cursor(born, first_due(born)), _spec(born)]
    inserts = [Insert(task_spec.TABLE, item, ("task_id", "part")) for item in items]
    for _ in range(_TRIES):
        outcome = conditional_writer.write_together([*inserts, *also])
        if outcome is Outcome.DONE:
            break
        known = read(born.task_id)
        if known is not None and known.task == born:
            # It is our own write, whose answer was lost.
            break
        if known is None and outcome is Outcome.REFUSED:
            return None
    else:
        raise BusyError(f"{born.task_id} could not be registered in {_TRIES} tries")
    _dispatch_near([(born, items[0])])
    return born


def create_many(wanted: Sequence[Task]) -> list[Task]:
    """Registers tasks alone: no name, count or line of the trail is written with them.

    Specs go first, because a task fires as soon as its cursor exists.
    """
    now = clock.now_ms() // 1000
    born = [lifecycle.born(task, now) for task in wanted]
    cursors = [cursor(task, first_due(task)) for task in born]
    for items in ([_spec(task) for task in born], cursors):
        conditional_writer.surely(
            [Insert(task_spec.TABLE, item, ("task_id", "part")) for item in items]
        )
    _dispatch_near(list(zip(born, cursors, strict=True)))
    return born


def _spec(task: Task) -> dict[str, Any]:
    return task.item() | {"payload": stored(of_task(task.task_id, task.version), task.payload)}


def _dispatch_near(written: Sequence[tuple[Task, Mapping[str, Any]]]) -> None:
    """Dispatches tasks for which the next tick may be too late, as they were just written."""
    until = clock.now_ms() // 1000 + LOOK_AHEAD_SEC
    due = [task_cursor.parse(item, task.closed) for task, item in written if "due_shard" in item]
    near = [each for each in due if each.next_run_at <= until]
    if near:
        dispatch_inline(*near)
