"""Laws of late slots: what nobody took up in time runs only as its policy lets it.

By true time and the schedule: when a run started, and what else was due by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onthedot.records.attributes import plain_item
from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.running.laws_messages import stood_in
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.running.laws_outcomes import TODAY, Policy
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.laws.waiting.run_standings import FOR_EVER, Standing
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage

# What lies between a worker's decision and the start: gates, permits, a start in doubt.
_DECIDED_SEC = 12.0
# A tick goes by whole seconds.
_SECOND = 1.0
# Between the queue's story and the worker's clock.
_TOLD_SEC = 2.0
_BY_MISFIRE = frozenset(
    {("missed", "outside_grace"), ("missed", "policy_none"), ("skipped", "coalesced")}
)
# A worker may stand still in between.
_STALLED_SEC = 200.0


def obeyed(
    stage: Stage, journal: Journal, runs: Sequence[Standing], policy: Policy = TODAY
) -> Iterator[str]:
    """Of each slot that started."""
    between_sec = clocks_off_sec(stage) + _between_sec(stage)
    stood = stood_in(journal)
    # A run of before the history that is tried again here was taken up long ago.
    begun = {
        one.run_id: one.at_ms
        for one in reversed(journal.changes)
        if one.started and one.after and one.after.attempt == 1
    }
    claimed = {one.run_id: one.at_ms for one in reversed(journal.changes)}
    for run in runs:
        if not run.slot or run.run_id not in begun or run.task.task_id.startswith("tsk_"):
            continue
        at_ms = begun[run.run_id]
        late_sec = (at_ms - run.due_ms) / 1000
        if late_sec <= policy.late_sec + between_sec:
            continue
        if _taken_up(run, [since for since, _ in stood[run.run_id]], policy):
            continue
        tasks = _in_force(journal, run, at_ms)
        decided = at_ms / 1000 - between_sec
        # By a dispatcher that claimed it late, or by the first worker; then it may have waited.
        by_tick = claimed[run.run_id] / 1000 > run.due_ms / 1000 + policy.late_sec
        found = claimed[run.run_id] if by_tick else run.received_ms
        found = min(found / 1000, decided)
        if tasks and all(_forbids(task, run, decided, found) for task in tasks):
            yield f"late against its policy: {run.run_id} was started {late_sec:.1f} s late"


def kept_turns(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """What stood in a line before it was late, or was found late within its grace, keeps its turn.

    Of tasks that nobody edited: an edit may end what waits.
    """
    off_sec = clocks_off_sec(stage) + _TOLD_SEC
    stood = stood_in(journal)
    rows = stage.rows()
    for run in runs:
        row = rows.get(run.run_id)
        # Whom a dead worker had called from its tenant's line stands nowhere.
        if row is None or not run.slot or (run.free and not untroubled(stage)):
            continue
        life = row.life
        if life.attempt or _is_edited(journal, run):
            continue
        if (life.status, life.reason) not in _BY_MISFIRE:
            continue
        grace_sec = max(run.task.misfire_grace_sec, TODAY.late_sec) - off_sec
        found_sec = (run.received_ms - run.due_ms) / 1000
        judged = life.reason == "outside_grace" and TODAY.late_sec + off_sec < found_sec < grace_sec
        late_ms = run.due_ms + (TODAY.late_sec - off_sec) * 1000
        if (
            any(since < late_ms for since, _ in stood[run.run_id])
            or (judged and run.joined_ms < FOR_EVER)
            or _asked_again(journal, run, late_ms + 2_000 * off_sec)
        ):
            yield f"lost its turn: {run.run_id} ended as {life.status}({life.reason})"


def _is_edited(journal: Journal, run: Standing) -> bool:
    """Tells whether more than its end, and its life after that, was written of its task."""
    return len({one.task.version for one in journal.versions[run.task.task_id]}) > 1


def _asked_again(journal: Journal, run: Standing, late_ms: float) -> bool:
    """Tells whether a worker ended for its grace what a tick had claimed late, and so within it."""
    changes = journal.of_run(run.task.task_id, _key(run))
    first, last = changes[0], changes[-1]
    claims = first.writer is not None and first.writer.kind == "dispatch"
    ends = last.writer is not None and last.writer.kind == "work"
    graced = claims and first.after is not None and first.after.status == "claimed"
    over = last.after is not None and last.after.reason == "outside_grace"
    return graced and first.at_ms > late_ms and ends and over


def given_back(stage: Stage) -> Iterator[str]:
    """Checks that a bounded task that has no run left has had them all; what misfire ended is
    none.
    """
    touched = {act.task_id for act in stage.acts}
    for task in stage.tasks:
        if task.max_runs is None or task.task_id in touched or task.name in stage.poisoned:
            continue
        cursor = stage.world.store.table("tasks").rows.items.get((task.task_id, "cursor"))
        if cursor is None or plain_item(cursor).get("runs_left", 1):
            continue
        claimed = [run for run in stage.rows().values() if run.task_id == task.task_id]
        taken = sum(_takes_a_place(run) for run in claimed)
        if taken < task.max_runs:
            yield f"places lost: {task.name} has had {taken} runs of {task.max_runs}"


def _takes_a_place(run: Run) -> bool:
    ended = (run.life.status, run.life.reason) in _BY_MISFIRE and not run.life.attempt
    return is_slot_key(run.key) and run.life.claimed_ms > 0 and not ended


def _between_sec(stage: Stage) -> float:
    stalled = any(entry[2] == "stalls" for entry in stage.world.trace)
    slow = stalled or any(not each.queue for each in stage.world.profile.outages)
    return _STALLED_SEC if slow else _DECIDED_SEC


def _taken_up(run: Standing, joined_ms: Sequence[float], policy: Policy) -> bool:
    """Tells whether it stood in a line before it was late, or may have had a booking."""
    late_ms = run.due_ms + policy.late_sec * 1000
    in_line = min([run.joined_ms, *joined_ms]) <= late_ms
    return in_line or bool(run.task.shown.get("concurrency_key"))


def _in_force(journal: Journal, run: Standing, begun_ms: float) -> list[Task]:
    """Returns the versions that its worker may have read."""
    versions = journal.versions[run.task.task_id]
    ends = [*(one.at_ms for one in versions[1:]), float("inf")]
    return [
        version.task
        for version, end in zip(versions, ends, strict=True)
        if version.at_ms < begun_ms and end > run.due_ms
    ]


def _forbids(task: Task, run: Standing, decided: float, found: float) -> bool:
    """Tells whether a worker that decided then had to see that it is not to run."""
    slot = parse_nominal(_key(run))
    if is_fetched(task) or not true_slots.is_slot(task, slot):
        return False
    if task.misfire == "none":
        return True
    if task.misfire == "latest" and _newer_was_due(task, slot, decided):
        return True
    return found - run.due_ms / 1000 > max(task.misfire_grace_sec, TODAY.late_sec) + _SECOND


def _key(run: Standing) -> str:
    text = run.run_id.partition(".")[2]
    return f"{text[:4]}-{text[4:6]}-{text[6:11]}:{text[11:13]}:{text[13:]}"


def _newer_was_due(task: Task, slot: int, until: float) -> bool:
    """Tells whether a newer slot was due by then that nothing kept from firing."""
    if task.max_runs is not None or task.status != "active":
        return False
    return any(
        task.effective_from < true_slots.due_at(task, newer) <= until
        and not true_slots.closing(task, newer)
        for newer in true_slots.slots(task, slot, until + 1)
    )
