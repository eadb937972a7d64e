"""Marks exhausted schedules as completed, once none of their runs is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import inf

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import CURSOR, key_of, part_key
from onthedot.records.runs.run_status import OPEN
from onthedot.records.tasks import exhausted_schedules, task_cursor, task_spec
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.schedule import UNREADABLE
from onthedot.store import clock, conditional_writer, full_scan, table_reads
from onthedot.upkeep.separate_steps import Apart

# The key of the item that says that all tables were walked once.
KEY = part_key("meta", "exhausted")
_WALKED = 1
_AT_ONCE = 25
# Rows. An open run is nearly always among the newest.
_PAGE = 100

Line = dict[str, str]


def note(work_sec: float = inf) -> dict[str, int]:
    """Checks every schedule on the list, as far as it comes. Returns how many were marked.

    The line is deleted last: after a crash in between the schedule is checked again.
    """
    over = clock.monotonic() + work_sec
    noted, apart = 0, Apart()
    by_task = _in_turn(_listed())
    for first in range(0, len(by_task), _AT_ONCE):
        if clock.monotonic() > over:
            break
        portion = dict(by_task[first : first + _AT_ONCE])
        for task_id, known in _read(portion):
            with apart.each(f"noting whether {task_id} is completed"):
                done, over_with = _look_at(known, portion[task_id])
                noted += done
                if over_with:
                    _forget(portion[task_id])
    apart.end()
    return {"completed": noted}


def _listed() -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = defaultdict(list)
    for partition in exhausted_schedules.partitions():
        for item in table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~")):
            found[item["of"]].append(item)
    return found


def _in_turn(found: dict[str, list[Line]]) -> list[tuple[str, list[Line]]]:
    """Begins at another place each minute, so that a schedule with a long run delays no other."""
    lines = list(found.items())
    first = clock.now_ms() // 60_000 * _AT_ONCE % max(1, len(lines))
    return [*lines[first:], *lines[:first]]


def _read(task_ids: Iterable[str]) -> Iterator[tuple[str, tuple[Task, Due, bool] | None]]:
    """Reads both items of each task. None: it is gone, or has an unknown form."""
    wanted = list(task_ids)
    keys = [key for one in wanted for key in (task_spec.spec_key(one), task_spec.cursor_key(one))]
    items = table_reads.by_key(table_reads.get_all(task_spec.TABLE, keys), "task_id", "part")
    for task_id in wanted:
        spec, cursor = items.get((task_id, "spec")), items.get((task_id, CURSOR))
        try:
            known = (
                (task_spec.parse(spec), task_cursor.parse(cursor), "due_shard" in cursor)
                if spec and cursor
                else None
            )
        except UNREADABLE:
            known = None
        yield task_id, known


def _look_at(known: tuple[Task, Due, bool] | None, lines: list[Line]) -> tuple[bool, bool]:
    """Tells whether it was marked now, and whether its lines are of no more use."""
    if known is None or known[0].status != "active":
        return False, True
    task, due, indexed = known
    if indexed:
        # A dispatcher listed it and has not moved the cursor yet, or never will.
        now = clock.now_ms() // 1000
        return False, all(
            exhausted_schedules.doubtful(line["scheduled_for"], now) for line in lines
        )
    if _any_open(task):
        return False, False
    noted = conditional_writer.write_together(exhausted_schedules.note(task, due)) is Outcome.DONE
    return noted, noted


def _any_open(task: Task) -> bool:
    """Tells whether a run is open. It walks from the newest run back."""
    since = ""
    newest_first = table_reads.rows(
        ("task_id", task.task_id), "scheduled_for", ("0", "~"), newest_first=True, page=_PAGE
    )
    for item in newest_first:
        since = since or exhausted_schedules.oldest_open(task, item["scheduled_for"])
        if item["scheduled_for"] < since:
            return False
        if item.get("life", {}).get("status") in OPEN:
            return True
    return False


def _forget(lines: Iterable[Line]) -> None:
    for line in lines:
        table_reads.delete(exhausted_schedules.TABLE, key_of(line))


def list_those_before() -> Iterator[str]:
    """Lists, once, what left the index before the list existed or under a former release."""
    known = table_reads.get(task_spec.TABLE, KEY)
    if known and known["walked"] == _WALKED:
        return
    yield from list_all()
    table_reads.put(task_spec.TABLE, KEY | {"walked": _WALKED})


def list_all() -> Iterator[str]:
    """Lists every schedule outside the index. The audit drops those that are not active."""
    for item in full_scan.items(task_spec.TABLE):
        if item["part"] != CURSOR or "due_shard" in item or not item["task_id"].startswith("sch_"):
            continue
        line = exhausted_schedules.line(item["task_id"], item["version"], clock.now_ms() // 1000)
        conditional_writer.surely([line])
        yield item["task_id"]
