"""Cancels a run: at once if it has not started, by a request while it runs."""

from __future__ import annotations

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.store import clock, conditional_writer, stored_runs
from onthedot.store.conditional_writer import Decision
from onthedot.targets.aws import executions
from onthedot.work.gates import overlap, tenant_quota

_TRIES = 8


def cancel(run_id: str, *, by: str = "user") -> Run | None:
    """Returns the run afterwards: cancelled, asked to stop, or already final."""
    seen = conditional_writer.compare_and_set(
        read=lambda: stored_runs.read(run_id),
        decide=lambda seen: _decided(seen, by),
        tries=_TRIES,
        what=run_id,
    )
    if seen is None or _is_settled(seen):
        return seen
    if seen.life.status != Status.RUNNING:
        # First stops what the run has started: if the store is busy, only the places stay taken.
        executions.stop_soon(seen)
        tenant_quota.leave([seen])
        overlap.give_up(seen)
    # A request may come after the attempt: then the run waits for a retry, and is cancelled there.
    return cancel(run_id, by=by)


def _decided(seen: Run | None, by: str) -> Decision[Run | None]:
    """Ends a run that has not started, and asks one that runs. The result is as it was seen."""
    if seen is None or _is_settled(seen):
        return Decision(seen)
    write = run_writes.request_cancel if seen.life.status == Status.RUNNING else run_writes.cancel
    return Decision(seen, write(seen, by, now_ms=clock.now_ms()))


def _is_settled(seen: Run) -> bool:
    """Tells whether it has ended, or was asked to."""
    return seen.final or bool(seen.cancel_ms and seen.life.status == Status.RUNNING)
