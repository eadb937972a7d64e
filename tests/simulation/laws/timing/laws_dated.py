"""Laws of times: a row says when its slot is due, whether it was late, and when it ended."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.attributes import plain
from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import clocks_off_sec, end_of
from tests.simulation.laws.waiting.laws_places import began
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage

# What a millisecond's grain costs; and so long before its first effect a process may have begun.
_GRAIN_MS, _BEGUN_MS = 5, 5_000


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Of each row that is born, and of each that ends."""
    off_ms = clocks_off_sec(stage) * 1000 + stage.world.profile.astray_ms[1] * bool(
        stage.world.profile.astray
    )
    first_ms = began(stage)
    tasks = {
        (task_id, version.task.version): version.task
        for task_id, versions in journal.versions.items()
        for version in versions
    }
    rows = stage.rows()
    started = {one.run_id: one for one in reversed(journal.changes) if one.started}
    for change in journal.changes:
        if change.after is None or change.writer is None:
            continue
        run = rows.get(change.run_id)
        begun_ms = first_ms[change.writer.name.partition("/")[0]] - _BEGUN_MS
        if change.before is None and change.writer.kind == "dispatch" and run is not None:
            yield from _named(change, run, begun_ms, off_ms)
            yield from _caught_up(started.get(change.run_id), run, off_ms)
        task = tasks.get((change.task_id, change.after.tv))
        if change.before is None and task is not None and is_slot_key(change.key):
            yield from _due(change, task)
        if change.after.final and not (change.before is not None and change.before.final):
            yield from _ended(change, min(begun_ms, _over_ms(change, task)) - off_ms, off_ms)


def _named(change: Change, run: Run, since_ms: float, off_ms: float) -> Iterator[str]:
    """Checks that what a dispatcher claims is on time, or late and caught up on."""
    assert change.after is not None
    if change.after.status != "claimed" or not is_slot_key(change.key):
        return
    late_ms = change.at_ms - change.after.due_ms + off_ms, since_ms - change.after.due_ms - off_ms
    once = change.task_id.startswith("tsk_")
    told = {
        "task": once,
        # A worker may have found it late, too.
        "catchup": not once,
        "schedule": not once and late_ms[1] <= LATE_SEC * 1000,
    }
    if not told.get(run.origin, False):
        yield f"misnamed: {run.run_id} was claimed {late_ms[0]:.0f} ms late as {run.origin}"


def _caught_up(start: Change | None, run: Run, off_ms: float) -> Iterator[str]:
    """Checks that what started in time does not catch up."""
    if start is None or start.after is None or run.origin != "catchup" or "~" in run.key:
        return
    late_ms = start.at_ms - start.after.due_ms + off_ms
    if late_ms <= LATE_SEC * 1000:
        yield f"misnamed: {run.run_id} was started {late_ms:.0f} ms late as {run.origin}"


def _due(change: Change, task: Task) -> Iterator[str]:
    """What is no slot of its version is for the law of phantoms."""
    assert change.after is not None
    slot = parse_nominal(change.key)
    if change.after.reason == "dst_gap" or not true_slots.is_slot(task, slot):
        return
    jitter = task.schedule.jitter_offset_sec
    due_ms = (true_slots.due_at(task, slot) if jitter else slot) * 1000
    if change.after.due_ms != due_ms:
        yield f"misdated: {change.run_id} is due at {due_ms}, and says {change.after.due_ms}"


def _over_ms(change: Change, task: Task | None) -> float:
    """Returns when the pause that skipped it was over by itself: in the second before its end."""
    paused = change.after is not None and change.after.reason == "paused"
    return (end_of(task) - 1) * 1000 if paused and task is not None else float("inf")


def _ended(change: Change, since_ms: float, off_ms: float) -> Iterator[str]:
    """Not before its writer began, and not after it was written."""
    assert change.after is not None
    said_ms = int(plain(change.after.life["ended_ms"]))
    if not since_ms <= said_ms <= change.at_ms + off_ms + _GRAIN_MS:
        late_ms = said_ms - change.at_ms
        yield f"misdated: {change.run_id} says that it ended {late_ms:.0f} ms after it did"
