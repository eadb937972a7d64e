"""Stops what was started for a run that is cancelled.

The run's next poll message does it, and is deleted only then: the canceller can die at once.
"""

from __future__ import annotations

from onthedot.records.runs.message_pack import POLL
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.store import run_messages
from onthedot.targets.aws import stepfunctions


def stop_soon(run: Run) -> None:
    """Lets a worker look now: the run's own message may take five minutes."""
    if _started(run):
        run_messages.send(run, POLL)


def stopped(run: Run) -> bool:
    """Stops what a cancelled run has started. False means that its message must come back."""
    return run.life.status != Status.CANCELLED or stop(run)


def stop(run: Run) -> bool:
    """Stops the execution that a run waits for, if there is one."""
    return not _started(run) or stepfunctions.stop(run.life.its_attempt.waits_on)


def _started(run: Run) -> bool:
    return bool(run.life.attempt and run.life.attempt.waits_on)
