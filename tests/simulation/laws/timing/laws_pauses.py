"""Laws of pauses that end by themselves: each ends, and what is due at its end or later runs."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.keys import is_slot_key, run_id
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from tests.simulation.laws.timing.reigns import clocks_off_sec, end_of, slots_within
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage

# The last call that ends pauses, and a worker's last look, may be so long before the end.
_SLACK_SEC = 200


def stopped(task: Task, due: float) -> bool:
    """Tells whether a task, paused or not, starts nothing that is due then."""
    return task.status == "paused" and due < end_of(task)


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks both laws."""
    yield from _ended(stage, journal)
    yield from _spared(journal)


def _ended(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that each ends by itself unless somebody was there before; then it governs as of its
    end.
    """
    over = stage.world.epoch_us() / 1_000_000
    for task in stage.tasks:
        versions = journal.versions[task.task_id]
        for place, version in enumerate(versions):
            end = end_of(version.task)
            following = versions[place + 1] if place + 1 < len(versions) else None
            if following is None:
                if end < over - _SLACK_SEC:
                    yield f"unended: {task.name} is paused until {nominal(int(end))} and longer"
                continue
            at = following.at_ms / 1000
            if following.task.status == "active" and at > end + 1:
                # A pause that was written after its end was over at once.
                yield from _as_of(stage, following.task, max(end, version.task.paused_at + 1), at)
            before, after = (one.task.shown.get("pause_ended") for one in (version, following))
            by_itself = after is not None and after != before
            if by_itself and at < end - 1 - clocks_off_sec(stage):
                yield f"early: the pause of {task.name} is over {end - at:.1f} s before its end"


def _as_of(stage: Stage, task: Task, end: float, written: float) -> Iterator[str]:
    if task.effective_from >= end:
        yield f"late: {task.name} goes on from {nominal(task.effective_from)}"
    if task.max_runs is not None:
        # Its runs may be used up.
        return
    rows = stage.rows()
    spans = [
        (run.key.partition("~")[0], run.range_to)
        for run in rows.values()
        if run.task_id == task.task_id and run.range_to and run.life.reason != "paused"
    ]
    for slot, _ in slots_within(task, end - 0.5, written):
        run = rows.get(run_id(task.task_id, nominal(slot)))
        if run is None and not any(first <= nominal(slot) <= last for first, last in spans):
            yield f"lost: {task.name} {nominal(slot)} has no row, and the pause was over"


def _spared(journal: Journal) -> Iterator[str]:
    """Checks that nothing is skipped for a pause that was over when it was due."""
    for change in journal.changes:
        after, before = change.after, change.before
        if after is None or after.reason != "paused" or (before and before.final):
            continue
        if after.range_to or not is_slot_key(change.key):
            continue
        versions = [one for one in journal.versions[change.task_id] if one.at_ms <= change.at_ms]
        if versions and end_of(versions[-1].task) <= after.due_ms / 1000:
            yield f"paused for ever: {change.run_id} was due when its task's pause was over"
