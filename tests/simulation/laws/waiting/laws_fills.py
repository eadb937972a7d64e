"""Laws of backfills that go one by one: the next run begins when it may, and nobody waits in vain.

Judged where nothing goes wrong: by when the runs of the task began and ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onthedot.records.runs import overlap_gate
from tests.simulation.machine.journal import Change, Journal, Seen
from tests.simulation.stage import Stage

_STEPS = frozenset({"step", "loops"})
_MINUTE_MS = 60_000
# What is due so soon may stand at the gate by then.
_SOON_MS = 2_000
# The worker that ends a run makes the next one after its own writes.
_FOLLOWS_MS = 3_000


def obeyed(stage: Stage, journal: Journal, loops: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Checks that at each minute's step and at the end of each of its runs, if no run of the task
    is open.
    """
    tasks = {task.task_id: task for task in stage.tasks}
    guarded = [one for one in loops if overlap_gate.guarded(tasks[one["wanted"]["task_id"]])]
    if not guarded:
        return
    steps = _steps(stage, journal)
    for loop in guarded:
        changes = [one for one in journal.changes if one.task_id == loop["wanted"]["task_id"]]
        rows = stage.rows()
        mine = [one for one in changes if rows[one.run_id].backfill_id == loop["scheduled_for"]]
        born = [one.at_ms for one in mine if one.before is None]
        over = [one.at_ms for one in mine if one.after and one.after.final]
        chances = [*steps, *((at_ms, at_ms + _FOLLOWS_MS) for at_ms in over)]
        begun_ms = journal.loops[loop["scheduled_for"]].at_ms
        for since_ms, until_ms in chances:
            if not begun_ms < since_ms or not _goes_on(loop, until_ms):
                continue
            used = sum(int(at_ms // _MINUTE_MS) == int(since_ms // _MINUTE_MS) for at_ms in born)
            made = any(since_ms <= at_ms <= until_ms for at_ms in born)
            if not made and used < loop["per_minute"] and _free(changes, since_ms, until_ms):
                sec = (since_ms - journal.start_ms) / 1000
                yield f"idle: {loop['scheduled_for']} made no run at {sec:.0f} s, and none was open"


def _steps(stage: Stage, journal: Journal) -> list[tuple[float, float]]:
    """Returns from when to when each step lasted that was carried out."""
    found: dict[str, tuple[float, float]] = {}
    for at_us, process, *_ in stage.world.trace:
        if process is not None and process.kind in _STEPS:
            at_ms = journal.start_ms + at_us / 1000
            found[process.name] = (found.get(process.name, (at_ms, 0.0))[0], at_ms)
    return list(found.values())


def _goes_on(loop: Mapping[str, Any], until_ms: float) -> bool:
    later = loop["ended_ms"] > until_ms + _SOON_MS
    return loop["status"] == "running" or bool(loop["status"] == "done" and later)


def _free(changes: Sequence[Change], since_ms: float, until_ms: float) -> bool:
    """Tells whether no run of the task was open then, and none came to be meanwhile."""
    rows = {one.key: one.after for one in changes if one.at_ms <= since_ms}
    if any(since_ms < one.at_ms <= until_ms for one in changes):
        return False
    return all(one is None or one.final or _is_ahead(one, until_ms) for one in rows.values())


def _is_ahead(seen: Seen, until_ms: float) -> bool:
    return seen.status == "claimed" and seen.due_ms > until_ms + _SOON_MS
