"""Awaiting: what a target took on is looked at by messages, and no worker is held meanwhile."""

from __future__ import annotations

from dataclasses import replace

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.adapters import claims, clock, ids, queue
from onthedot.adapters.targets import stepfunctions
from onthedot.core import moves, pack
from onthedot.core.policy import Again, Answer, Stopped, after, error_of, next_look_sec
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.core.writes import Outcome
from onthedot.flows import executions, gate, permits
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job


def look(batch: Batch, job: Job) -> None:
    """Settle what has ended or will not any more; for the rest a message comes back."""
    run, task = job.held, job.task
    if task is None:
        raise LookupError(f"{run.run_id} has no task")
    answer = _looked_at(run)
    if answer is None and (answer := _given_up(run)):
        stopped = executions.stop(run)
        if run.cancel_ms and not stopped:
            return
    if answer is None:
        wait_sec = next_look_sec(run.life, clock.now_ms())
        if not queue.send([(pack.poll_of(run), wait_sec)]):
            batch.done([run.run_id])
    elif conclude(run, task, answer):
        batch.done([run.run_id])


def conclude(run: Run, task: Task, answer: Answer) -> bool:
    """Write what came of an attempt that no worker of ours is beside; False if it has moved on.

    The order is the worker's own: the retry's message, the row, the permit, the gate.
    """
    now_ms = clock.now_ms()
    life = after(run.life, task, answer, now_ms=now_ms, fraction=ids.fraction())
    if life.status == "retrying":
        again = pack.of_run(replace(run, life=life), "retry")
        if queue.send([(again, max(1, pack.delay_sec(life.due_ms, now_ms)))]):
            return False
    if claims.write_one(moves.mark(run, life, now_ms=now_ms)) is not Outcome.DONE:
        return False
    give_up_places(replace(run, life=life))
    return True


def give_up_places(run: Run) -> None:
    """Let others have what an attempt that has ended held; twice does no harm."""
    permits.leave([run])
    if run.final:
        gate.give_up(run)


def _given_up(run: Run) -> Answer | None:
    """Nobody waits for it any more: it was to stop before it began to wait, or its time is up."""
    if run.cancel_ms:
        return Stopped("previous" if run.cancel_by == "previous" else "user")
    if clock.now_ms() >= run.life.lease_ms:
        message = f"no {run.life.reason} within the task's time"
        return Again("timed_out", error_of("TimedOut", message))
    return None


def _looked_at(run: Run) -> Answer | None:
    """A look that fails says nothing: there is another, until the time is up."""
    try:
        return stepfunctions.look(run.life.waits_on) if run.life.waits_on else None
    except (BotoCoreError, ClientError):
        return None
