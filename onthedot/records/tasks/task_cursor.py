"""Describes a task's cursor: what planning its next fires needs, as the index `due` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import CURSOR
from onthedot.records.runs.message_pack import RUNS_MAX
from onthedot.schedule import schedule
from onthedot.schedule.calendar_times import Calendar
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import nominal, parse_nominal

TABLE = "tasks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A task that is due. `next_run_at` is the due time of its next unclaimed slot."""

    task_id: str
    tenant_id: str
    next_run_at: int
    version: int
    schedule_version: int
    compiled: bytes
    misfire: str
    grace_sec: int
    queue: str
    # Below zero if an edit has lowered the bound below what was used.
    runs_left: int | None = None
    # Slots ahead that an edit has counted already. The index does not show them.
    ahead: tuple[str, ...] = ()
    pack_max: int = RUNS_MAX
    # The task's calendars, from its spec. Nothing fires in them.
    closed: tuple[Calendar, ...] = ()

    @property
    def schedule(self) -> Schedule:
        """Returns the schedule. Each stored schedule is unpacked once."""
        return _unpacked(self.compiled)

    @property
    def spent(self) -> bool:
        """Tells whether it has no run left."""
        return self.runs_left is not None and self.runs_left <= 0

    def due_after(self, slot: int) -> int | None:
        """Returns when the slot after this one is due."""
        following = self.schedule.next(slot)
        return None if following is None else self.schedule.due_at(following)


@lru_cache(20_000)
def _unpacked(compiled: bytes) -> Schedule:
    return schedule.unpack(compiled)


def parse(item: Mapping[str, Any], closed: tuple[Calendar, ...] = ()) -> Due:
    """Reads an entry of the index, or the cursor itself."""
    return Due(
        task_id=item["task_id"],
        tenant_id=item["tenant_id"],
        next_run_at=parse_nominal(item["next_run_at"]),
        version=item["version"],
        schedule_version=item["schedule_version"],
        compiled=item["compiled"],
        misfire=item["misfire"],
        grace_sec=item["grace_sec"],
        queue=item["queue"],
        runs_left=item.get("runs_left"),
        ahead=tuple(item.get("ahead", ())),
        pack_max=item.get("pack_max", RUNS_MAX),
        closed=closed,
    )


def advance(due: Due, following: int | None, counted: int, *, last: int | None = None) -> Update:
    """Moves past the slots before `following`. Without a next slot or a run left it leaves the
    index.

    Then it stands behind the `last` slot that was due: slots behind the cursor are counted.
    """
    behind = due.next_run_at if last is None else last + 1
    sets: tuple[tuple[str, Any], ...] = (
        ("next_run_at", nominal(behind if following is None else following)),
    )
    left = left_after(due, counted)
    # Every API write that moves the cursor raises its version, so an older plan is void.
    clauses = [Clause.equal("version", due.version)]
    if left is not None:
        sets += (("runs_left", left),)
        # A worker may have given a place back since.
        clauses.append(Clause.equal("runs_left", due.runs_left))
    return Update(
        TABLE,
        (("task_id", due.task_id), ("part", CURSOR)),
        sets,
        (Clause.equal("next_run_at", nominal(due.next_run_at)), *clauses),
        removes=("due_shard",) if following is None or left == 0 else (),
    )


def left_after(due: Due, counted: int) -> int | None:
    """Counts runs down if the task has a bound."""
    return None if due.runs_left is None else max(0, due.runs_left - counted)


def behind(due: Due, following: int | None, counted: int) -> Due | None:
    """Returns the cursor after an advance, or None if it has left the index."""
    left = left_after(due, counted)
    if following is None or left == 0:
        return None
    return replace(due, next_run_at=following, runs_left=left)


def leaves(write: Update) -> bool:
    """Tells whether a write takes a schedule's cursor out of the index.

    One-off tasks do not count: the run says everything about them.
    """
    return "due_shard" in write.removes and str(dict(write.key)["task_id"]).startswith("sch_")
