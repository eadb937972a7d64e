"""Lists schedules that have no slot left, before they are marked as completed."""

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
# Partitions. Many may end at midnight, and one partition takes a thousand writes a second.
_SPREAD = 4
# Seconds. A writer that lists a task and then dies leaves a line without meaning.
_DOUBTFUL_SEC = 600
_DAY_SEC = 86_400
_SECOND = len("2026-11-18T14:00:00")


def partitions() -> list[str]:
    """Returns the partitions of the list."""
    return [f"exhausted#{spread}" for spread in range(_SPREAD)]


def line(task_id: str, version: int, now: int) -> Insert:
    """Lists a task for the audit. Its version keeps the lines of edits and dispatchers apart."""
    item = {
        "task_id": f"exhausted#{shard_of(task_id) % _SPREAD}",
        "scheduled_for": f"{nominal(now)}#{task_id}#{version}",
        "of": task_id,
    }
    return Insert(TABLE, item, ("task_id", "scheduled_for"))


def lines(cursors: Sequence[Update], now: int) -> list[Insert]:
    """Lists the schedules of these cursors."""
    found = []
    for write in cursors:
        version = next(clause.value for clause in write.clauses if clause.path == ("version",))
        found.append(line(_task_id(write), version, now))
    return found


def _task_id(cursor: Update) -> str:
    return str(dict(cursor.key)["task_id"])


def doubtful(sort: str, now: int) -> bool:
    """Tells whether a line is so old that its cursor will not leave the index any more."""
    return parse_nominal(sort.partition("#")[0]) < now - _DOUBTFUL_SEC


def note(task: Task, due: Due) -> list[Update]:
    """Marks it completed, unless an edit or a returned place came in between.

    The version stays: it counts what users wrote, and their If-Match stays valid.
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
    # The cursor is out of the index already. This write only checks that it has not changed.
    still = Update(
        TASKS, tuple(cursor_key(task.task_id).items()), (), tuple(clauses), removes=("due_shard",)
    )
    return [said, still]


def revived(task: Task) -> Update:
    """Makes it active again at the version that was just written."""
    return Update(
        TASKS,
        tuple(spec_key(task.task_id).items()),
        (("status", "active"),),
        (Clause.equal("version", task.version),),
    )


def oldest_open(task: Task, newest: str) -> str:
    """Returns the key of the oldest run that can be open. Attempts of older ones are over."""
    attempts_sec = task.max_attempts * (task.retry.cap_sec + task.timeout_sec)
    behind = task.misfire_grace_sec + LOOK_AHEAD_SEC + JITTER_MAX_SEC + attempts_sec
    instant = parse_nominal(f"{newest[:_SECOND]}Z")
    return nominal(max(0, instant - max(behind, _DAY_SEC)))
