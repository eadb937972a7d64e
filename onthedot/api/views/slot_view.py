"""Shows every past and coming slot with its outcome."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LATE_SEC
from onthedot.schedule import schedule
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import local, nominal, parse_nominal
from onthedot.schedule.time.zones import zone
from onthedot.schedule.words.dst_notes import note_of


@dataclass(frozen=True, slots=True)
class Era:
    """The schedule between two instants, the first excluded."""

    schedule: Schedule
    since: int
    until: int


def eras(task: Task, revisions: Sequence[Mapping[str, Any]], until: int) -> list[Era]:
    """Sorts its former schedules and the present one by time."""
    former = [
        Era(
            schedule.unpack(item["compiled"]),
            parse_nominal(item["from"]),
            parse_nominal(item["until"]),
        )
        for item in revisions
    ]
    return [*former, Era(task.schedule, task.effective_from, until)]


def expected(known: Sequence[Era], first: int, last: int) -> Iterator[tuple[int, Schedule]]:
    """Walks the slots between two instants, both included, by the schedule of that time."""
    for era in known:
        after = max(first - 1, era.since)
        before = min(last, era.until)
        for slot in takewhile(lambda slot: slot <= before, era.schedule.slots(after)):  # noqa: B023  # walked before the next round
            yield slot, era.schedule


def was_due(task: Task, due: Due, of: tuple[int, Schedule]) -> bool:
    """Tells whether a slot fired or may fire. Behind the cursor of an exhausted one none does."""
    slot, schedule = of
    exhausted = task.status == "completed" or due.spent
    return not exhausted or slot <= task.effective_from or schedule.due_at(slot) < due.next_run_at


@dataclass(frozen=True, slots=True)
class Recorded:
    """The rows of a stretch of time: one for each slot, and ranges."""

    own: Mapping[str, Run]
    ranges: Sequence[Run]

    @classmethod
    def of(cls, rows: Sequence[Run]) -> Recorded:
        """Sorts rows into slots and ranges."""
        ranges = sorted((run for run in rows if run.is_range), key=lambda run: run.key)
        return cls({run.key: run for run in rows if "~" not in run.key}, ranges)

    def of_slot(self, key: str) -> Run | None:
        """Returns the row of a slot. It beats a range that covers it."""
        if key in self.own:
            return self.own[key]
        place = bisect_right(self.ranges, key, key=lambda run: run.key.partition("~")[0]) - 1
        found = self.ranges[place] if place >= 0 else None
        return found if found and key <= found.range_to else None


def view(slot: int, schedule: Schedule, task: Task, *, row: Run | None, now: int) -> dict[str, Any]:
    """Shows a slot."""
    note = note_of(schedule, slot)
    shown: dict[str, Any] = {
        "scheduled_for": nominal(slot),
        "local": local(zone(schedule.timezone), slot),
        "note": note.sentence if note else None,
    }
    if row is not None:
        return shown | {
            "status": row.life.status.value,
            "reason": row.life.reason.value or None,
            "run_id": row.run_id,
            "range": row.span,
        }
    status, reason = _without_row(slot, schedule, task, now)
    return shown | {"status": status, "reason": reason, "run_id": None, "range": None}


def _without_row(slot: int, schedule: Schedule, task: Task, now: int) -> tuple[str, str | None]:
    """Returns the outcome of a slot without a row. A pause writes its rows when it ends."""
    due = schedule.due_at(slot)
    paused = slot > task.paused_at and pause_ends.holds(task, due)
    if due + LATE_SEC > now:
        return "upcoming", "paused" if paused else None
    return ("skipped", "paused") if paused else ("unaccounted", None)
