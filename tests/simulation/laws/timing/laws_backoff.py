"""Laws of backoff: a failed attempt is followed after its wait, no sooner and hardly later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from onthedot.records.runs.overlap_gate import guarded
from onthedot.records.tasks.task_spec import Task
from onthedot.targets.attempt_outcome import Again
from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.timing.laws_lateness import kept_sec
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Delivery, Stage

# Flows count whole milliseconds; a start follows its message, and takes some calls.
_TICK_MS, _BEGUN_MS = 1, 700


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that the wait that the answer asked for, or else the task's own: doubled each time,
    capped.
    """
    told = _said(stage)
    off_ms = 2_000 * clocks_off_sec(stage)
    begun_ms = _BEGUN_MS + 1_000 * kept_sec(stage)
    waiting: dict[str, tuple[float, float]] = {}
    for change in journal.changes:
        after = change.after
        if change.started and after and change.run_id in waiting:
            since_ms, until_ms = waiting.pop(change.run_id)
            early_ms = since_ms - change.at_ms - off_ms
            if early_ms > 0:
                yield f"retried too soon: {change.run_id} by {early_ms / 1000:.1f} s"
            if change.at_ms > until_ms and _is_free(stage, journal, change):
                late_sec = (change.at_ms - until_ms) / 1000
                yield f"retried too late: {change.run_id} began {late_sec:.1f} s too late"
        delivery = told.get((change.run_id, after.attempt)) if after else None
        if after is None or delivery is None or not _failed(change, delivery):
            continue
        least, most = _wait_sec(journal.versions[change.task_id][0].task, change, delivery)
        since_ms = delivery.ended_ms - _TICK_MS + least * 1000
        waiting[change.run_id] = since_ms, change.at_ms + most * 1000 + begun_ms
        late_ms = after.due_ms - change.at_ms - most * 1000 - off_ms
        if late_ms > 0:
            yield f"retried too late: {change.run_id} waits {late_ms / 1000:.1f} s too long"


def prompt(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that where nothing goes wrong, the next attempt begins when the row says."""
    begun_ms = _BEGUN_MS + 1_000 * kept_sec(stage)
    until: dict[str, float] = {}
    for change in journal.changes:
        until_ms = until.pop(change.run_id, change.at_ms)
        # A row from days ago has no message.
        if change.before and change.after and change.after.status == "retrying":
            until[change.run_id] = max(change.at_ms, change.after.due_ms) + begun_ms
        elif change.started and change.at_ms > until_ms and _is_free(stage, journal, change):
            late_sec = (change.at_ms - until_ms) / 1000
            yield f"behind its row: {change.run_id} began {late_sec:.1f} s too late"


def _said(stage: Stage) -> dict[tuple[str, int], Delivery]:
    """Returns what each attempt's target answered: at once, or by a later word
    that was accepted.
    """
    told = {(one.run_id, one.attempt): one for one in stage.deliveries}
    for word in reversed(stage.outside.words):
        delivery = told.get((word.run_id, word.attempt))
        if delivery and word.taken and word.answer:
            said = replace(delivery, answer=word.answer, ended_ms=word.began_ms)
            told[word.run_id, word.attempt] = said
    return told


def _is_free(stage: Stage, journal: Journal, change: Change) -> bool:
    """Tells whether nothing went wrong, and nothing but its time keeps a run from its next
    attempt.
    """
    task = journal.versions[change.task_id][0].task
    bounded = guarded(task) or "concurrency_key" in task.shown or bool(journal.limits)
    fetched = any(is_fetched(one.task) for one in journal.versions[change.task_id])
    return not (bounded or fetched or not untroubled(stage))


def _failed(change: Change, delivery: Delivery) -> bool:
    """Tells whether that write says that the attempt failed, and that another follows."""
    before, after, answer = change.before, change.after, delivery.answer
    if before is None or after is None or not isinstance(answer, Again):
        return False
    settled = before.status in ("running", "awaiting") and after.status == "retrying"
    # What a handler says after its time was over counts for nothing.
    heard = 0 < delivery.ended_ms <= change.at_ms
    return settled and heard and answer.outcome == after.reason


def _wait_sec(task: Task, change: Change, delivery: Delivery) -> tuple[int, int]:
    """Between which waits; jitter takes off what it likes."""
    answer, after = delivery.answer, change.after
    if isinstance(answer, Again) and answer.after_sec is not None:
        return max(1, answer.after_sec), max(1, answer.after_sec)
    retry = task.retry
    failed = after.attempt - int(after.life.get("released", {"N": 0})["N"]) if after else 1
    doubled = max(0, failed - 1) if retry.backoff == "exponential" else 0
    most = max(1, min(retry.cap_sec, retry.base_sec * 2**doubled))
    return 1 if retry.jitter == "full" else most, most
