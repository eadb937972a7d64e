"""Tasks, runs and cursors for tests of the core: plain unless told otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import settings

from onthedot.records.attributes import written
from onthedot.records.runs.run_row import Life, Run, life_of
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.schedule import compile_schedule, pack

# The same examples every time, and no clock beside them.
law = settings(max_examples=100, derandomize=True, deadline=None, database=None)
# 2026-11-18T12:00:00Z.
NOON = 1_795_003_200
NOON_MS = NOON * 1000
SLOT = "2026-11-18T12:00:00Z"
TASK_ID = "sch_01JD3Z8QK5M7V2X9T4B6N1C0RA"


@cache
def compiled(text: str, jitter_sec: int = 0) -> bytes:
    """Returns a schedule in UTC."""
    return pack(compile_schedule(text, jitter_sec=jitter_sec, seed=TASK_ID))


def task(text: str = "* * * * *", **given: Any) -> Task:  # noqa: ANN401 any field
    """Returns an active task."""
    plain = Task(task_id=TASK_ID, tenant_id="acme", compiled=compiled(text), target={})
    return replace(plain, **given)


def run(key: str = SLOT, **life: Any) -> Run:  # noqa: ANN401 any field
    """Returns a run that is due at noon, claimed unless told otherwise; fields of its life or its
    own.
    """
    own = {name: life.pop(name) for name in list(life) if name in Run.__slots__}
    plain = Run(
        task_id=TASK_ID,
        key=key,
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=lived(**life),
    )
    return replace(plain, **own)


def lived(before: Life | None = None, **stored: Any) -> Life:  # noqa: ANN401 any field
    """A life whose row says so; what is not named is as it was, or as at a claim for noon."""
    born = {"status": "claimed", "tv": 1, "schedule_version": 1, "due_ms": NOON_MS}
    said = {name: written(stored[name]) for name in _FREE if stored.get(name) is not None}
    return life_of((before.stored() if before else born) | stored | said)


_FREE = ("result", "progress", "checkpoint")


def due(text: str = "* * * * *", next_run_at: int = NOON, **given: Any) -> Due:  # noqa: ANN401 any field
    """Returns a cursor that stands at noon."""
    jitter_sec = given.pop("jitter_sec", 0)
    plain = Due(
        task_id=TASK_ID,
        tenant_id="acme",
        next_run_at=next_run_at,
        version=1,
        schedule_version=1,
        compiled=compiled(text, jitter_sec),
        misfire="latest",
        grace_sec=3_600,
        queue="normal",
    )
    return replace(plain, **given)
