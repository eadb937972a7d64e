"""Registers new tasks, and dispatches what of them is due soon; `flows/edit` changes them later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onthedot.adapters import claims, clock
from onthedot.core import due as dues
from onthedot.core import lifecycle
from onthedot.core import task as tasks
from onthedot.core.errors import BusyError
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.payloads import of_task
from onthedot.core.registered import cursor, first_due
from onthedot.core.task import Task
from onthedot.core.writes import Insert, Outcome, Part
from onthedot.flows import patience
from onthedot.flows.dispatch import dispatch_inline
from onthedot.flows.known import read
from onthedot.flows.payloads import stored

_TRIES = 8


def create_with(task: Task, also: Sequence[Part]) -> Task | None:
    """Register a task together with what else belongs to it; None: some of that is taken."""
    born = lifecycle.born(task, clock.now_ms() // 1000)
    items = [cursor(born, first_due(born)), _spec(born)]
    inserts = [Insert(tasks.TABLE, item, ("task_id", "part")) for item in items]
    for _ in range(_TRIES):
        outcome = claims.write_together([*inserts, *also])
        if outcome is Outcome.DONE:
            break
        known = read(born.task_id)
        if known is not None and known.task == born:
            # Our own write, whose answer was lost.
            break
        if known is None and outcome is Outcome.REFUSED:
            return None
    else:
        raise BusyError(f"{born.task_id} could not be registered in {_TRIES} tries")
    _dispatch_near([(born, items[0])])
    return born


def create_many(wanted: Sequence[Task]) -> list[Task]:
    """Register tasks by themselves: no name, count or line of the trail is written with them.

    Specs go first: a task fires once its cursor is there.
    """
    now = clock.now_ms() // 1000
    born = [lifecycle.born(task, now) for task in wanted]
    cursors = [cursor(task, first_due(task)) for task in born]
    for items in ([_spec(task) for task in born], cursors):
        patience.surely([Insert(tasks.TABLE, item, ("task_id", "part")) for item in items])
    _dispatch_near(list(zip(born, cursors, strict=True)))
    return born


def _spec(task: Task) -> dict[str, Any]:
    return task.item() | {"payload": stored(of_task(task.task_id, task.version), task.payload)}


def _dispatch_near(written: Sequence[tuple[Task, Mapping[str, Any]]]) -> None:
    """What the next tick may come too late for is dispatched here, as it was just written."""
    until = clock.now_ms() // 1000 + LOOK_AHEAD_SEC
    due = [dues.parse(item, task.closed) for task, item in written if "due_shard" in item]
    near = [each for each in due if each.next_run_at <= until]
    if near:
        dispatch_inline(*near)
