"""Cancels a run: at once if it has not started, by a request while it runs."""

from __future__ import annotations

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Run
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, stored_runs
from onthedot.targets.aws import executions
from onthedot.work.gates import overlap, tenant_quota

_TRIES = 8


def cancel(run_id: str, *, by: str = "user") -> Run | None:
    """Returns the run afterwards: cancelled, asked to stop, or already final."""
    for _ in range(_TRIES):
        seen = stored_runs.read(run_id)
        if seen is None:
            return None
        asked = seen.cancel_ms and seen.life.status == "running"
        if seen.final or asked:
            return seen
        now_ms = clock.now_ms()
        if seen.life.status == "running":
            conditional_writer.write_one(run_writes.request_cancel(seen, by, now_ms=now_ms))
        elif (
            conditional_writer.write_one(run_writes.cancel(seen, by, now_ms=now_ms)) is Outcome.DONE
        ):
            # First stops what the run has started: if the store is busy, only the places stay
            # taken.
            executions.stop_soon(seen)
            tenant_quota.leave([seen])
            overlap.give_up(seen)
    raise BusyError(f"{run_id} kept changing under {_TRIES} attempts to cancel it")
