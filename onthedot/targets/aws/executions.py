"""Executions: what was started for a run that is cancelled is stopped.

The run's next poll message sees to it, and is deleted only then: a cancel may die at once.
"""

from __future__ import annotations

from onthedot.records.runs import message_pack
from onthedot.records.runs.run_row import Run
from onthedot.store import queue
from onthedot.targets.aws import stepfunctions


def stop_soon(run: Run) -> None:
    """Let a worker look at once: the run's own message may take five minutes."""
    if _started(run):
        queue.send([(message_pack.poll_of(run), 0)])


def stopped(run: Run) -> bool:
    """Stop what a cancelled run has started; False asks for its message to come back."""
    return run.life.status != "cancelled" or stop(run)


def stop(run: Run) -> bool:
    """Stop what a run waits for, if it is an execution."""
    return not _started(run) or stepfunctions.stop(run.life.waits_on)


def _started(run: Run) -> bool:
    return bool(run.life.waits_on)
