"""Laws of backoff: a failed attempt is followed after its wait, no sooner and hardly later."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.core.policy import Again
from onthedot.core.task import Task
from tests.simulation.journal import Change, Journal
from tests.simulation.reigns import clocks_off_sec
from tests.simulation.stage import Delivery, Stage


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """The wait that the answer asked for, or else the task's own: doubled each time, capped."""
    told = {(one.run_id, one.attempt): one for one in stage.deliveries}
    off_ms = 2_000 * clocks_off_sec(stage)
    waiting: dict[str, float] = {}
    for change in journal.changes:
        after = change.after
        if change.started and after and change.run_id in waiting:
            early_ms = waiting.pop(change.run_id) - change.at_ms - off_ms
            if early_ms > 0:
                yield f"retried too soon: {change.run_id} by {early_ms / 1000:.1f} s"
        delivery = told.get((change.run_id, after.attempt)) if after else None
        if after is None or delivery is None or not _failed(change, delivery):
            continue
        least, most = _wait_sec(journal.versions[change.task_id][0].task, change, delivery)
        waiting[change.run_id] = delivery.at_ms + least * 1000
        late_ms = after.due_ms - change.at_ms - most * 1000 - off_ms
        if late_ms > 0:
            yield f"retried too late: {change.run_id} waits {late_ms / 1000:.1f} s too long"


def _failed(change: Change, delivery: Delivery) -> bool:
    """Whether that write says that the attempt failed, and that another follows."""
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
        return answer.after_sec, max(1, answer.after_sec)
    retry = task.retry
    failed = after.attempt - int(after.life.get("released", {"N": 0})["N"]) if after else 1
    doubled = max(0, failed - 1) if retry.backoff == "exponential" else 0
    most = max(1, min(retry.cap_sec, retry.base_sec * 2**doubled))
    return 1 if retry.jitter == "full" else most, most
