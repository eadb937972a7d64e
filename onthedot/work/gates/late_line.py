"""Decides about catching up: late slots run one at a time, oldest first, with no other run open.

The gate says who catches up and from which key on others wait; the rows are the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from onthedot.records.conditional_writes import Update
from onthedot.records.keys import is_slot_key
from onthedot.records.runs import run_writes
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, guarded
from onthedot.records.runs.run_row import BEHIND, Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.misfire import grace_of, is_late
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import CATCH_UPS_MAX

# Seconds. A start this soon after its due time shows that there was no outage.
_PROMPT_SEC = 5
# Under these policies slots that came due meanwhile wait behind late ones: else they are turned
# away.
_TURNING_AWAY = frozenset({"skip", "queue"})


@dataclass(frozen=True, slots=True)
class Stay:
    """The run waits in line, and the gate changes to this.

    `first` is a run that could go now. If `alone`, no end of a run will wake this one.
    """

    gate: Gate
    first: str = ""
    alone: bool = False


def is_behind(run: Run, task: Task) -> bool:
    """Tells whether a regular slot waits behind late ones. Without a line it does not."""
    return run.life.waited == BEHIND and task.overlap in _TURNING_AWAY


def is_one(run: Run, *, late: bool = False) -> bool:
    """Tells whether a run catches up. A one-off task has one run and no line."""
    return run.origin == "catchup" or (late and run.origin == "schedule")


def joins(run: Run, task: Task, gate: Gate, *, late: bool) -> bool:
    """Tells whether a run uses the line: a late slot, or one that comes due behind one."""
    if is_one(run, late=late) or is_behind(run, task):
        return True
    return gate.catches_up and follows(run, task, gate)


def follows(run: Run, task: Task, gate: Gate) -> bool:
    """Tells whether a regular slot waits behind late ones. Runs that are at the gate stay there."""
    behind = task.misfire == "all" and task.overlap in _TURNING_AWAY
    return behind and is_slot_key(run.key) and not gate.names(run.key)


def looks_back(run: Run, task: Task, now_ms: int) -> bool:
    """Tells whether there may be late slots that no worker has found yet, as after an outage."""
    behind = task.misfire == "all" and task.overlap in _TURNING_AWAY
    return behind and now_ms - run.life.due_ms > _PROMPT_SEC * 1000


def passes_on(run: Run, now_ms: int, *, late: bool = False) -> bool:
    """Tells whether to look at the line when a run ends: it waited there, or may have."""
    unstarted = not run.life.attempt and is_slot_key(run.key)
    overdue = unstarted and is_late(run.life.due_ms, now_ms)
    return overdue or is_one(run, late=late) or run.life.waited == BEHIND


def stands(run: Run, task: Task, gate: Gate, now_ms: int) -> bool:
    """Tells whether a run waits in line, even if no worker has found it yet."""
    life = run.life
    if life.status != Status.CLAIMED or life.attempt or life.due_ms > now_ms or gate.names(run.key):
        return False
    if run.origin == "catchup" or is_behind(run, task):
        return True
    found = task.misfire == "all" and guarded(task) and is_slot_key(run.key)
    graced = now_ms - life.due_ms <= grace_of(task.misfire_grace_sec) * 1000
    return found and graced and is_late(life.due_ms, now_ms)


def goes_first(gate: Gate, task: Task, first: str) -> bool:
    """Tells whether a run that waits at the gate goes before the first in line.

    Under `queue` the due time decides. Elsewhere late slots never delay a regular one.
    """
    return bool(gate.waiting) and (task.overlap != "queue" or gate.waiting[0] < first)


def room(gate: Gate, task: Task) -> int:
    """Returns how many of the line may run beside those that have places."""
    if task.overlap != "allow":
        return 0 if gate.holders else 1
    if task.max_concurrent:
        return max(0, task.max_concurrent - len(gate.holders))
    return max(0, CATCH_UPS_MAX - len(gate.late))


def enter(gate: Gate, run: Run, task: Task, line: Sequence[str]) -> Have | Enter | Stay:
    """Decides about a run of the line. `line` yields its oldest runs as far as needed."""
    if run.key in gate.holders:
        return Have()
    # A worker that had not found it late may have put it at the gate as well.
    gate = gate.without([run.key])
    since = min([*line[:1], run.key])
    places, first = room(gate, task), line[0] if line else ""
    free = places
    if goes_first(gate, task, since):
        # It may wait for a run that has become late on its way: then nothing else calls that one.
        free, first = 0, gate.waiting[0]
    if run.key in line[:free]:
        late = gate.late if is_behind(run, task) else (*gate.late, run.key)
        return Enter(replace(gate.entered(run.key), late=late, since=since))
    # When a regular run of such a task ends, it does not look at the gate.
    unheard = task.overlap == "skip" and any(key not in gate.late for key in gate.holders)
    return Stay(
        replace(gate, since=min(since, gate.since or since)),
        first=first if places else "",
        alone=unheard and line[:1] == [run.key],
    )


def noted(run: Run, task: Task, *, late: bool, now_ms: int) -> tuple[Run, Update] | None:
    """Writes on a row that it waits in line. None: it says so already."""
    if run.origin == "catchup" or is_behind(run, task):
        return None
    sets: tuple[tuple[str, Any], ...] = ()
    if late:
        seen = replace(run, origin="catchup")
        sets = (("origin", "catchup"),)
    else:
        seen = replace(run, life=replace(run.life, waited=BEHIND))
    write = run_writes.mark(run, seen.life, now_ms=now_ms)
    return seen, replace(write, sets=(*write.sets, *sets))
