"""Tasks and runs to try things on."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from onthedot.records.runs.run_row import Claim, Life, Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.schedule_actions import create_many
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.schedule.time.instants import nominal

SHARDS = range(256)
SLOT = 1_795_000_000


def last_minute() -> int:
    """The latest full minute; two seconds clear of it, so that no test straddles one."""
    now = time.time()
    if now % 60 > 55:
        time.sleep(61 - now % 60)
        now = time.time()
    return int(now) // 60 * 60


def create(wanted: Task) -> Task:
    """Registers one by itself, without a name and a place in a quota."""
    (born,) = create_many([wanted])
    return born


def daily(number: int, slot: int, **given: Any) -> Task:
    """Returns a task with one slot a day, the next one at `slot`."""
    at = datetime.fromtimestamp(slot, UTC)
    return task(number, f"{at.minute} {at.hour} * * *", effective_from=slot - 1, **given)


def task_id(number: int) -> str:
    """Names a task."""
    return f"sch_{number:026}"


def task(number: int, text: str, until: int | None = None, **given: Any) -> Task:
    """Returns a task as the API would register it."""
    schedule = compile_schedule(text, end_at=until)
    return Task(
        task_id=task_id(number),
        tenant_id="acme",
        compiled=pack(schedule),
        target={"type": "recording"},
        **given,
    )


def claimed(owner: str, slot: int = SLOT, *, task_id: str = "sch_A") -> Run:
    """Returns a slot's run as a dispatcher of that name claims it."""
    return Run(
        task_id=task_id,
        key=nominal(slot),
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=Life(
            status=Status.CLAIMED,
            tv=1,
            schedule_version=1,
            due_ms=slot * 1000,
            claim=Claim(by=owner, until_ms=slot * 1000 + 30_000),
            claimed_ms=slot * 1000 - 5_000,
        ),
    )
