"""Planted faults of pauses that end by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.launch import resume_catchup
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, table_reads
from onthedot.upkeep import pauses_due
from tests.simulation.users import pauses

Patch = tuple[Any, str, Any]


def from_now() -> list[Patch]:
    """It goes on from when that is written, as after a user's resume."""
    original = pause_ends.over

    def over(task: Task, now: int) -> int | None:
        return None if original(task, now) is None else now

    return [(pause_ends, "over", over)]


def over_too_soon() -> list[Patch]:
    """It is over three seconds before its end."""
    original, waits = pause_ends.over, pauses_due._wait_until  # noqa: SLF001  # only the second is another
    return [
        (pause_ends, "over", lambda task, now: original(task, now + 3)),
        (pauses_due, "_wait_until", lambda instant: waits(instant - 3)),
    ]


def last_second_runs() -> list[Patch]:
    """It is over a second before its end."""
    original = pause_ends.over

    def over(task: Task, now: int) -> int | None:
        end = original(task, now)
        return None if end is None else end - 1

    return [(pause_ends, "over", over)]


def as_written() -> list[Patch]:
    """The worker goes by the status alone."""
    return [(pause_ends, "holds", lambda task, _: task.status == "paused")]


def once_paused() -> list[Patch]:
    """What is paused stays so, for what was said first and until then."""
    original = lifecycle.paused

    def paused(task: Task, now: int, why: Mapping[str, Any]) -> Task:
        return task if task.status == "paused" else original(task, now, why)

    return [(lifecycle, "paused", paused)]


def still_the_systems() -> list[Patch]:
    """A person's pause of what the system has paused changes nothing."""
    original = lifecycle.paused

    def paused(task: Task, now: int, why: Mapping[str, Any]) -> Task:
        said = task.shown.get("paused") or {}
        return task if said.get("by") == pause_ends.SYSTEM else original(task, now, why)

    return [(lifecycle, "paused", paused)]


def ahead_of_time() -> list[Patch]:
    """A resume also runs what is due in the second after it."""
    original = resume_catchup.slots
    return [(resume_catchup, "slots", lambda task, mode, now: original(task, mode, now + 1))]


def forgotten_first() -> list[Patch]:
    """It is taken off the list, and then it is ended."""

    def end_those_due() -> None:
        over = nominal(clock.now_ms() // 1000 + pauses_due.AHEAD_SEC)
        between = ("0", f"{over}~")
        for item in list(table_reads.rows(("task_id", pause_ends.OPEN), "scheduled_for", between)):
            end = pause_ends.listed_end(item)
            table_reads.delete(
                pause_ends.TABLE,
                {"task_id": pause_ends.OPEN, "scheduled_for": item["scheduled_for"]},
            )
            pauses_due._wait_until(end - 1)  # noqa: SLF001  # only the order is another
            pauses_due._end(item["of"], end)  # noqa: SLF001

    return [(module, "end_those_due", end_those_due) for module in (pauses, pauses_due)]
