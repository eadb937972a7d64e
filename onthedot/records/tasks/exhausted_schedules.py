"""Schedules that fire no more: listed when the cursor leaves the index, then noted as completed."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.records.conditional_writes import Clause, Insert, Update
from onthedot.records.keys import shard_of
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import TABLE as TASKS
from onthedot.records.tasks.task_spec import Task, cursor_key, spec_key
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.schedule import JITTER_MAX_SEC
from onthedot.schedule.time.instants import nominal, parse_nominal

TABLE = "runs"
# Many may end at midnight: one partition takes a thousand writes a second.
_SPREAD = 4
# Who lists a task and then dies before the cursor leaves has left a line that means nothing.
_DOUBTFUL_SEC = 600
_DAY_SEC = 86_400
_SECOND = len("2026-11-18T14:00:00")


def partitions() -> list[str]:
    """Give the partitions of the list."""
    return [f"exhausted#{spread}" for spread in range(_SPREAD)]


def line(task_id: str, version: int, now: int) -> Insert:
    """List a task for the audit; its version keeps an edit's line apart from a dispatcher's."""
    item = {
        "task_id": f"exhausted#{shard_of(task_id) % _SPREAD}",
        "scheduled_for": f"{nominal(now)}#{task_id}#{version}",
        "of": task_id,
    }
    return Insert(TABLE, item, ("task_id", "scheduled_for"))


def lines(cursors: Sequence[Update], now: int) -> list[Insert]:
    """List the schedules of these cursors."""
    found = []
    for write in cursors:
        version = next(clause.value for clause in write.clauses if clause.path == ("version",))
        found.append(line(_task_id(write), version, now))
    return found


def leaves(cursor: Update) -> bool:
    """Tell whether a write takes a schedule's cursor out of the index.

    A one-off task is never listed: its run says all of it.
    """
    return "due_shard" in cursor.removes and _task_id(cursor).startswith("sch_")


def _task_id(cursor: Update) -> str:
    return str(dict(cursor.key)["task_id"])


def doubtful(sort: str, now: int) -> bool:
    """Tell whether a line is so old that the cursor it announced will not leave any more."""
    return parse_nominal(sort.partition("#")[0]) < now - _DOUBTFUL_SEC


def note(task: Task, due: Due) -> list[Update]:
    """Note it, unless an edit or a place given back came in between.

    The version stays: it counts what users wrote, and their If-Match still holds.
    """
    said = Update(
        TASKS,
        tuple(spec_key(task.task_id).items()),
        (("status", "completed"),),
        (Clause.equal("version", task.version), Clause.equal("status", "active")),
    )
    clauses = [
        Clause.equal("version", due.version),
        Clause.equal("next_run_at", nominal(due.next_run_at)),
    ]
    if due.runs_left is not None:
        clauses.append(Clause.equal("runs_left", due.runs_left))
    # It is out of the index already: this only holds the cursor to what was seen.
    still = Update(
        TASKS, tuple(cursor_key(task.task_id).items()), (), tuple(clauses), removes=("due_shard",)
    )
    return [said, still]


def revived(task: Task) -> Update:
    """Make it active again at the version that was just written."""
    return Update(
        TASKS,
        tuple(spec_key(task.task_id).items()),
        (("status", "active"),),
        (Clause.equal("version", task.version),),
    )


def oldest_open(task: Task, newest: str) -> str:
    """Give the key before which no run is looked for: by then all attempts are over."""
    attempts_sec = task.max_attempts * (task.retry.cap_sec + task.timeout_sec)
    behind = task.misfire_grace_sec + LOOK_AHEAD_SEC + JITTER_MAX_SEC + attempts_sec
    instant = parse_nominal(f"{newest[:_SECOND]}Z")
    return nominal(max(0, instant - max(behind, _DAY_SEC)))
