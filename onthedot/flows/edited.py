"""An edit of a task as writes: both of its items, each only as it was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onthedot.adapters import clock
from onthedot.core import exhausted
from onthedot.core import task as tasks
from onthedot.core.keys import CURSOR, SPEC
from onthedot.core.payloads import of_task
from onthedot.core.registered import cursor, first_due
from onthedot.core.task import Task
from onthedot.core.writes import Clause, Update, Write
from onthedot.flows.known import Known
from onthedot.flows.payloads import stored
from onthedot.flows.recounting import Recount, remaining


def moves(before: Task, after: Task) -> bool:
    """Tell whether the cursor goes elsewhere."""
    return (before.schedule_version, before.status) != (after.schedule_version, after.status)


def writes(known: Known, wanted: Task, counted: Recount) -> Sequence[Write]:
    """Both items, each only as it was read; a mere change of payload leaves the cursor alone.

    A schedule that has nothing left to fire is listed, for the audit to note it.
    """
    before = known.task
    written, changed = before.item(), wanted.item()
    said = {name: value for name, value in changed.items() if written.get(name) != value}
    if "payload" in said:
        said["payload"] = stored(of_task(wanted.task_id, wanted.version), wanted.payload)
    spec = Update(
        tasks.TABLE,
        (("task_id", before.task_id), ("part", SPEC)),
        tuple(said.items()),
        # The audit notes that one is completed, and dispatch sets one aside, at the same version.
        (Clause.equal("version", before.version), Clause.equal("status", before.status)),
        removes=tuple(name for name in written if name not in changed),
    )
    part = _cursor_write(known, wanted, counted)
    if part is None:
        return [spec]
    now = clock.now_ms() // 1000
    ends = wanted.status == "active" and exhausted.leaves(part)
    return [spec, part, *([exhausted.line(wanted.task_id, wanted.version, now)] if ends else [])]


def _cursor_write(known: Known, wanted: Task, counted: Recount) -> Update | None:
    before = known.task
    clauses: tuple[Clause, ...] = (Clause.equal("version", known.due.version),)
    following = first_due(wanted) if wanted.status == "active" else None
    item = cursor(wanted, following)
    left = item.pop("runs_left", None)
    if moves(before, wanted):
        sets = {name: value for name, value in item.items() if name not in ("task_id", "part")}
        if following is None:
            sets.pop("next_run_at")
    else:
        old = cursor(before, None)
        sets = {name: item[name] for name in _PLANNED_WITH if item[name] != old[name]}
    removes: tuple[str, ...] = ()
    if known.due.ahead != counted.ahead and moves(before, wanted):
        sets |= {"ahead": counted.ahead} if counted.ahead else {}
        removes += () if counted.ahead else ("ahead",)
    if wanted.max_runs != before.max_runs or moves(before, wanted):
        removes += () if left is not None else ("runs_left",)
        clauses += _runs_left(known, wanted, sets, counted)
    if not sets and not removes:
        return None
    spent = sets.get("runs_left", 1) <= 0
    if spent:
        item.pop("due_shard", None)
        sets.pop("due_shard", None)
    if (spent or moves(before, wanted)) and "due_shard" not in item:
        removes += ("due_shard",)
    key = (("task_id", before.task_id), ("part", CURSOR))
    return Update(tasks.TABLE, key, (*sets.items(), *_version(wanted, sets)), clauses, removes)


# What dispatch plans with besides the schedule.
_PLANNED_WITH = ("misfire", "grace_sec", "queue", "pack_max")


def _version(wanted: Task, sets: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    """Every write of the cursor bumps its version: what was planned before is void."""
    return () if "version" in sets else (("version", wanted.version),)


def _runs_left(
    known: Known, wanted: Task, sets: dict[str, Any], counted: Recount
) -> tuple[Clause, ...]:
    """A bound counts what has been claimed, as it was seen, and what this edit counts.

    Below zero it has had more than it may have now: a bound that is raised again must know.
    """
    seen = known.due.runs_left
    left = remaining(known, wanted, counted)
    if left is not None:
        sets["runs_left"] = left
    return () if seen is None else (Clause.equal("runs_left", seen),)
