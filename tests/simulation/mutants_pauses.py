"""Planted faults of pauses that end by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.adapters import clock, tables
from onthedot.core import catchup, lifecycle, pauses
from onthedot.core.instants import nominal
from onthedot.core.task import Task
from onthedot.flows import pauses as ending
from tests.simulation import pauses as played

Patch = tuple[Any, str, Any]


def from_now() -> list[Patch]:
    """It goes on from when that is written, as after a user's resume."""
    original = pauses.over

    def over(task: Task, now: int) -> int | None:
        return None if original(task, now) is None else now

    return [(pauses, "over", over)]


def over_too_soon() -> list[Patch]:
    """It is over three seconds before its end."""
    original, waits = pauses.over, ending._wait_until  # noqa: SLF001  # only the second is another
    return [
        (pauses, "over", lambda task, now: original(task, now + 3)),
        (ending, "_wait_until", lambda instant: waits(instant - 3)),
    ]


def last_second_runs() -> list[Patch]:
    """It is over a second before its end."""
    original = pauses.over

    def over(task: Task, now: int) -> int | None:
        end = original(task, now)
        return None if end is None else end - 1

    return [(pauses, "over", over)]


def as_written() -> list[Patch]:
    """The worker goes by the status alone."""
    return [(pauses, "holds", lambda task, _: task.status == "paused")]


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
        return task if said.get("by") == pauses.SYSTEM else original(task, now, why)

    return [(lifecycle, "paused", paused)]


def ahead_of_time() -> list[Patch]:
    """A resume also runs what is due in the second after it."""
    original = catchup.slots
    return [(catchup, "slots", lambda task, mode, now: original(task, mode, now + 1))]


def forgotten_first() -> list[Patch]:
    """It is taken off the list, and then it is ended."""

    def end_those_due() -> None:
        over = nominal(clock.now_ms() // 1000 + ending.AHEAD_SEC)
        between = ("0", f"{over}~")
        for item in list(tables.rows(("task_id", pauses.OPEN), "scheduled_for", between)):
            end = pauses.listed_end(item)
            tables.delete(
                pauses.TABLE, {"task_id": pauses.OPEN, "scheduled_for": item["scheduled_for"]}
            )
            ending._wait_until(end - 1)  # noqa: SLF001  # only the order is another
            ending._end(item["of"], end)  # noqa: SLF001

    return [(module, "end_those_due", end_those_due) for module in (played, ending)]
