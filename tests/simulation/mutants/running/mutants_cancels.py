"""Planted faults of cancels: calls that go on, words left out, answers that are overruled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.timings import ABANDON_SEC
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Answer, Done, Stopped, after_cancel
from onthedot.work import settlement
from onthedot.work.job import Job
from tests.simulation.mutants.mutant import Mutant, Patch

_UNASKED = Clause.missing("cancel_ms")


def still_connected() -> list[Patch]:
    """A call that is cancelled keeps its connection, until nobody waits for it."""

    def stop(job: Job) -> None:
        job.stopped_ms = job.stopped_ms or clock.now_ms()

    return [(Job, "stop", stop)]


def until_its_deadline() -> list[Patch]:
    """A handler that does not look has all of its time, cancelled or not."""
    return [
        (Job, "abandoned_ms", property(lambda job: job.deadline_ms + ABANDON_SEC * 1000)),
    ]


def unnoted() -> list[Patch]:
    """Nobody is told that the target may have acted."""

    def obeyed(answer: Answer, run: Run) -> Answer:
        became = after_cancel(answer, run)
        return replace(became, note="") if isinstance(became, Stopped) else became

    return [(settlement, "after_cancel", obeyed)]


def tried_all_the_same() -> list[Patch]:
    """A request that its worker has not seen does not keep the run from its next attempt."""
    original = run_writes.settle

    def settle(*given: Any, **named: Any) -> Update:
        write = original(*given, **named)
        return replace(write, clauses=tuple(one for one in write.clauses if one != _UNASKED))

    return [(run_writes, "settle", settle)]


def overruled() -> list[Patch]:
    """What a target did counts for nothing once somebody has asked it to stop."""
    original = run_writes.settle

    def settle(run: Run, life: Life, *, now_ms: int) -> Update:
        write = original(run, life, now_ms=now_ms)
        unseen = life.status == "succeeded" and not run.cancel_ms
        return replace(write, clauses=(*write.clauses, _UNASKED)) if unseen else write

    def obeyed(answer: Answer, run: Run) -> Answer:
        asked = isinstance(answer, Done) and run.cancel_ms
        return Stopped(Reason(run.cancel_by)) if asked else after_cancel(answer, run)

    return [(run_writes, "settle", settle), (settlement, "after_cancel", obeyed)]


_OFF, _DEAF = ("broken off",), ("broken off deaf",)


def begun_again() -> list[Patch]:
    """A worker that has not seen a request to cancel takes the run over."""
    original = run_writes.start

    def start(seen: Run, begun: Run, *, now_ms: int) -> Update:
        write = original(seen, begun, now_ms=now_ms)
        clauses = tuple(one for one in write.clauses if one.path != ("cancel_ms",))
        return replace(write, clauses=clauses)

    return [(run_writes, "start", start)]


CANCELS = (
    Mutant(
        "begun though cancelled",
        "an answered cancel is followed by no attempt",
        begun_again,
        ("handled stalls",),
        seed=28,
    ),
    Mutant("still connected", "0187: a cancel closes a call", still_connected, _OFF),
    Mutant("until its deadline", "0187: a handler has 5 s", until_its_deadline, _DEAF),
    Mutant("unnoted", "0187: who cancels is told what it means", unnoted, _OFF),
    Mutant(
        "tried all the same",
        "0187: what fails has stopped",
        tried_all_the_same,
        _OFF + _DEAF,
        seed=59,
    ),
    Mutant("overruled", "0187: what was done is done", overruled, _OFF, seed=7),
)
