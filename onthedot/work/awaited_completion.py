"""Looks at work that a target took on. Messages bring the looks, and no worker waits meanwhile."""

from __future__ import annotations

from dataclasses import replace

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import POLL, delay_sec
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, conditional_writer, ids, run_messages
from onthedot.targets.attempt_outcome import Again, Answer, Stopped, after, error_of, next_look_sec
from onthedot.targets.aws import executions, stepfunctions
from onthedot.work.gates import overlap, tenant_quota
from onthedot.work.job import Job
from onthedot.work.verdicts import Back, Later, Struck


def look(job: Job) -> Struck | Later | Back:
    """Settles an attempt that has ended or is given up; otherwise a message looks again later."""
    run, task = job.held, job.its_task
    answer = _looked_at(run)
    if answer is None and (answer := _given_up(run)):
        stopped = executions.stop(run)
        if run.cancel_ms and not stopped:
            return Back()
    if answer is None:
        return Later(next_look_sec(run.life, clock.now_ms()), POLL)
    return Struck() if conclude(run, task, answer) else Back()


def conclude(run: Run, task: Task, answer: Answer) -> bool:
    """Writes the outcome of an attempt that no worker of ours runs. False if it has moved on.

    The order is the worker's own: the retry's message, the row, the permit, the gate.
    """
    now_ms = clock.now_ms()
    life = after(run.life, task, answer, now_ms=now_ms, fraction=ids.fraction())
    if life.status == Status.RETRYING:
        wait_sec = max(1, delay_sec(life.due_ms, now_ms))
        if not run_messages.send(replace(run, life=life), "retry", wait_sec):
            return False
    if conditional_writer.write_one(run_writes.mark(run, life, now_ms=now_ms)) is not Outcome.DONE:
        return False
    give_up_places(replace(run, life=life))
    return True


def give_up_places(run: Run) -> None:
    """Frees the places of an attempt that has ended. A second call does no harm."""
    tenant_quota.leave([run])
    if run.final:
        overlap.give_up(run)


def _given_up(run: Run) -> Answer | None:
    """Returns an answer if nobody waits any more: it was to stop before, or its time is up."""
    if run.cancel_ms:
        return Stopped(Reason.PREVIOUS if run.cancel_by == "previous" else Reason.USER)
    if clock.now_ms() >= run.life.lease_ms:
        message = f"no {run.life.reason} within the task's time"
        return Again(Reason.TIMED_OUT, error_of("TimedOut", message))
    return None


def _looked_at(run: Run) -> Answer | None:
    """Returns the answer, if there is one. A look that fails is repeated until the time is up."""
    try:
        return stepfunctions.look(name) if (name := run.life.its_attempt.waits_on) else None
    except (BotoCoreError, ClientError):
        return None
