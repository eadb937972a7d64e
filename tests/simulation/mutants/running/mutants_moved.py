"""Planted faults of tasks that go to other workers, and of who may speak for a run there."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.runs import handover_write
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Run, leased
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, conditional_writer
from onthedot.targets.attempt_outcome import Answer
from onthedot.targets.call import Call
from onthedot.work import outside_handover, starts, target_call
from onthedot.work.job import Job
from onthedot.work.outside import lease, lease_answers
from onthedot.work.outside.lease_answers import Told
from onthedot.work.verdicts import Struck
from tests.simulation.mutants.mutant import Mutant, Patch


def where_it_was() -> list[Patch]:
    """A run stays with the workers that its task had when it was claimed."""
    return [(Job, "belongs_here", property(lambda _job: True))]


def given_to_anybody() -> list[Patch]:
    """A message starts what outside workers are to fetch, and leaves it there."""
    original, begin = Job.is_for_others, target_call.begin

    def is_for_others(job: Job, queue: str) -> bool:
        return pulled(queue) and original(job, queue)

    def begun(job: Job) -> bool:
        return begin(job) and (job.part is not None or bool(job.answer))

    return [(Job, "is_for_others", is_for_others), (target_call, "begin", begun)]


def kept_waiting() -> list[Patch]:
    """The audit leaves to outside workers what they were to fetch."""
    return [(outside_handover, "to_resend", list)]


def unsent() -> list[Patch]:
    """What goes to our workers is written down so, and sent to none."""

    def hand_over(job: Job) -> Struck:
        assert job.task is not None
        moved = handover_write.hand_over(job.held, job.task.queue, now_ms=clock.now_ms())
        conditional_writer.write_one(moved)
        return Struck()

    return [(module, "hand_over", hand_over) for module in (outside_handover, starts)]


def any_step() -> list[Patch]:
    """A worker that once had a run records its steps."""
    return [(lease_answers, "standing", lambda *_, **__: Told.TAKEN)]


def beyond_its_time() -> list[Patch]:
    """A lease is as long as it was asked for, whatever time the attempt has."""

    def extended(run: Run, _task: Task, lease_sec: int) -> Run:
        lease_ms = max(clock.now_ms() + lease_sec * 1000, run.life.lease_ms)
        return replace(run, life=leased(run.life, lease_ms))

    return [(module, "extended", extended) for module in (lease_answers, lease)]


def dated_by_its_end() -> list[Patch]:
    """A row says that its target was called when the call ended."""
    original = target_call.deliver

    def deliver(call: Call) -> Answer:
        answer = original(replace(call, called=lambda: None))
        call.called()
        return answer

    return [(target_call, "deliver", deliver)]


MOVED = (
    Mutant(
        "dated by its end", "W4: called_at is the call's", dated_by_its_end, ("retries", "calm")
    ),
    Mutant("where it was", "0184: a run goes with its task", where_it_was, ("moved",)),
    Mutant(
        "anybody's",
        "0184: a run is asked for by its workers",
        given_to_anybody,
        ("moved crashes",),
        seed=35,
    ),
    Mutant("kept waiting", "0184: the audit hands over", kept_waiting, ("moved home",)),
    Mutant("handed over unsent", "0184: the message, then the row", unsent, ("moved bare",)),
    Mutant(
        "any step", "0090: a step is its attempt's", any_step, ("pulled", "pulled rough"), seed=5
    ),
    Mutant("beyond its time", "a lease ends with the attempt", beyond_its_time, ("moved",)),
)
