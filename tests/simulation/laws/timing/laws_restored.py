"""Laws of a restore: nothing that was due by then starts again, and what comes after fires."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.keys import run_id
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from onthedot.targets.attempt_outcome import Done
from tests.simulation.laws.timing.reigns import end_of, slots_within
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.pauses import LONG_SEC
from tests.simulation.users.restore_act import AGAIN, BACK, KEPT, STOPPED, set_back

# A tick sees so far ahead, and the first ones after the start come when they come.
_AHEAD_SEC = 200
# What the audit finds missing it records ten minutes after it was listed.
_RECORDED_SEC = 1_300
# The first tick may come too late for what is due at once; a call follows its slot.
_FIRST_SEC, _CALLED_SEC = 90, 30


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each law of it."""
    yield from _once(stage)
    yield from _goes_on(stage, journal)
    yield from _recorded(stage)


def _once(stage: Stage) -> Iterator[str]:
    """Checks that no run is called before and after, and where runs were set back none that was
    due by then.
    """
    start_ms = stage.world.start.timestamp() * 1000
    back_ms, stopped_ms = start_ms + BACK * 1000, start_ms + STOPPED * 1000
    before = {one.run_id: one for one in stage.deliveries if one.at_ms < stopped_ms + 60_000}
    for delivery in stage.deliveries:
        if delivery.at_ms < back_ms:
            continue
        earlier = before.get(delivery.run_id)
        if earlier is not None and isinstance(earlier.answer, Done):
            yield f"again: {delivery.run_id} had succeeded before the restore"
        if "runs" in set_back(stage) and delivery.due_ms < back_ms:
            yield f"late: {delivery.run_id} was due before the restore, and started after it"


def _goes_on(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what is active fires from then on; what was paused until some time before is
    active.
    """
    start = stage.world.start.timestamp()
    called = {one.run_id for one in stage.deliveries}
    until = start + AGAIN + 600
    for task in stage.tasks:
        versions = journal.versions[task.task_id]
        last = versions[-1].task
        # Of tasks alone set back, a pause that had ended stands again, until somebody resumes it.
        mended = "runs" in set_back(stage)
        if mended and last.status == "paused" and end_of(last) < until:
            yield f"still paused: {task.name}"
        if last.status != "active" or versions[-1].at_ms / 1000 > start + AGAIN:
            continue
        for slot, _ in slots_within(last, start + AGAIN + _AHEAD_SEC, until):
            named = run_id(task.task_id, nominal(slot))
            # One that stands in a line may find it full.
            if named not in called and not (task.overlap == "queue" and named in stage.rows()):
                yield f"silent: {task.name} {nominal(slot)} was not called after the restore"


def _recorded(stage: Stage) -> Iterator[str]:
    """Checks that every slot of the forgotten time is on record, of what nobody edited.

    But not where rows alone are set back: nobody looks for what is missing behind a cursor.
    """
    start = stage.world.start.timestamp()
    if "tasks" not in set_back(stage):
        return
    if stage.world.epoch_us() / 1_000_000 < start + AGAIN + _RECORDED_SEC:
        return
    rows = stage.rows()
    for task in stage.tasks:
        if any(act.task_id == task.task_id for act in stage.acts):
            continue
        spans = _spans(stage, task)
        for slot, _ in slots_within(task, start + KEPT - 200, start + AGAIN):
            key = nominal(slot)
            if run_id(task.task_id, key) not in rows and not any(a <= key <= b for a, b in spans):
                yield f"forgotten: {task.name} {key} has no row"


def _spans(stage: Stage, task: Task) -> list[tuple[str, str]]:
    mine = [run for run in stage.rows().values() if run.task_id == task.task_id and run.range_to]
    return [(run.key.partition("~")[0], run.range_to) for run in mine]


def fired(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that before all stood still, each slot was called, where nobody edits and nothing
    goes wrong.
    """
    start = stage.world.start.timestamp()
    called = {one.run_id for one in stage.deliveries}
    for task in stage.tasks:
        first = journal.versions[task.task_id][0].task
        for slot, _ in slots_within(first, start + _FIRST_SEC, start + STOPPED - _CALLED_SEC):
            named = run_id(task.task_id, nominal(slot))
            if task.overlap == "allow" and named not in called:
                yield f"silent: {task.name} {nominal(slot)} was not called before the restore"


def noted(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what fires no more is completed, though the list of such schedules was set back
    as well.
    """
    for task in stage.tasks:
        last = journal.versions[task.task_id][-1].task
        if last.status != "completed":
            yield f"never noted: {task.name} is {last.status}"


def asleep(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks that what was paused before the time that is forgotten, and until later, is called
    by nobody.
    """
    start_ms = stage.world.start.timestamp() * 1000
    for act in stage.acts:
        end_ms = act.began_ms + LONG_SEC * 1000 - 2_000
        if not 0 < act.acked_ms < start_ms + (KEPT - 2) * 1000 or end_ms < start_ms + BACK * 1000:
            continue
        for delivery in stage.deliveries:
            mine = delivery.run_id.startswith(act.task_id)
            if mine and act.acked_ms < delivery.due_ms < end_ms:
                yield f"woken: {delivery.run_id} was called in a pause"
