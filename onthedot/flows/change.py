"""One edit of a task: the slots that were due get an outcome, both items change, and it governs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from onthedot.adapters import claims, clock
from onthedot.core import moves
from onthedot.core import task as tasks
from onthedot.core.instants import nominal
from onthedot.core.numbers import ROWS_MAX
from onthedot.core.registered import cursor, first_due
from onthedot.core.run import Life, Run
from onthedot.core.task import Task
from onthedot.core.writes import Clause, Update, Write
from onthedot.flows.govern import make_it_govern
from onthedot.flows.known import Known, read

_TRIES = 8
_JITTER_MAX_SEC = 86_400
Edit = Callable[[Task, int], Task]


def change(task_id: str, edit: Edit) -> Task | None:
    """Carry an edit out; a task that is not there gives None, one already so is stamped again."""
    for _ in range(_TRIES):
        known = read(task_id)
        if known is None:
            return None
        now = clock.now_ms() // 1000
        wanted = edit(known.task, now)
        if replace(wanted, effective_from=0, paused_at=0, schedule_version=0) == replace(
            known.task, effective_from=0, paused_at=0, schedule_version=0
        ):
            make_it_govern(known.task, known)
            return known.task
        wanted = replace(wanted, version=known.task.version + 1)
        _close_the_books(known, now)
        if claims.write_together(_writes(known, wanted)):
            make_it_govern(wanted, known)
            return wanted
    raise RuntimeError(f"{task_id} kept changing under {_TRIES} attempts to edit it")


def _close_the_books(known: Known, now: int) -> None:
    """Slots that were due and that nobody claimed get an outcome before the cursor moves on."""
    task, due = known.task, known.due
    since = task.paused_at if task.status == "paused" else due.next_run_at
    if task.status != "paused" and not known.indexed:
        return
    outcome = ("skipped", "paused") if task.status == "paused" else ("missed", "undispatched")
    slots = []
    slot = task.schedule.next(since - _JITTER_MAX_SEC - 1)
    while slot is not None and task.schedule.due_at(slot) <= now:
        if task.schedule.due_at(slot) >= since:
            slots.append(slot)
        slot = task.schedule.next(slot)
    claims.write_many(
        [
            moves.insert(_record(task, slot, outcome, now), now_ms=now * 1000)
            for slot in slots[-ROWS_MAX:]
        ]
    )


def _record(task: Task, slot: int, outcome: tuple[str, str], now: int) -> Run:
    life = Life(
        status=outcome[0],
        reason=outcome[1],
        tv=task.version,
        schedule_version=task.schedule_version,
        due_ms=task.schedule.due_at(slot) * 1000,
        ended_ms=now * 1000,
    )
    return Run(
        task_id=task.task_id,
        key=nominal(slot),
        tenant_id=task.tenant_id,
        origin="schedule",
        queue=task.queue,
        life=life,
    )


def _writes(known: Known, wanted: Task) -> Sequence[Write]:
    """Both items, each only as it was read; a mere change of payload leaves the cursor alone."""
    task = known.task
    key = ("task_id", task.task_id)
    spec = Update(
        tasks.TABLE,
        (key, ("part", "spec")),
        tuple(_changed(task.item(), wanted.item())),
        (Clause.equal("version", task.version),),
    )
    moved = (task.schedule_version, task.status) != (wanted.schedule_version, wanted.status)
    if not moved:
        return [spec]
    following = first_due(wanted) if wanted.status == "active" else None
    item = cursor(wanted, following)
    if following is None:
        item.pop("next_run_at")
    sets = {name: value for name, value in item.items() if name not in ("task_id", "part")}
    part = Update(
        tasks.TABLE,
        (key, ("part", "cursor")),
        tuple(sets.items()),
        (Clause.equal("version", known.due.version),),
        removes=() if "due_shard" in item else ("due_shard",),
    )
    return [spec, part]


def _changed(before: dict[str, object], after: dict[str, object]) -> list[tuple[str, object]]:
    return [(name, value) for name, value in after.items() if before.get(name) != value]
