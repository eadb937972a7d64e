"""Planted faults in what is done while a store refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from onthedot.records.conditional_writes import Outcome, Write
from onthedot.store import aws, backoff, conditional_writer
from onthedot.work import job, prepared_start, settlement, starts, worker
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Skip
from onthedot.work.job import Job
from tests.simulation.mutants.mutant import Mutant, Patch


def three_tries() -> list[Patch]:
    """An outcome is written three times, without a pause, and then left to a takeover."""

    def put_off(jobs: Iterable[Job]) -> None:
        for each in jobs:
            each.tries += 1

    def given_up(job: Job) -> bool:
        return job.ended and job.tries >= 3

    return [(settlement, "put_off", put_off), (worker, "given_up", given_up)]


def unforgiven() -> list[Patch]:
    """Whatever a busy store refuses ends the whole invocation."""
    return [(conditional_writer.Forgiven, "__exit__", lambda *_: False)]


def patience_unforgiven() -> list[Patch]:
    """Writes that were not taken in all the time they had end the invocation."""

    def forgives(_self: object, _kind: object, failure: BaseException | None, _: object) -> bool:
        return failure is not None and aws.passes(failure)

    return [(conditional_writer.Forgiven, "__exit__", forgives)]


def started_blindly() -> list[Patch]:
    """A start that had no answer is delivered without a look at the row."""
    original = prepared_start.begin

    def begin(jobs: Sequence[Job], worker: str) -> Any:
        started, doubtful = original(jobs, worker)
        for each, outcome in doubtful:
            if outcome is Outcome.UNSURE and each.ready:
                each.run = each.ready.begun
                started.append(each)
        return started, [each for each in doubtful if each[1] is not Outcome.UNSURE]

    return [(starts, "begin", begin)]


def next_tick() -> list[Patch]:
    """What the store does not take of a tick is left to the next one."""

    def write(writes: Sequence[Write], over: Callable[[], bool]) -> list[Outcome]:
        return conditional_writer.write_many(writes, over=over)

    return [(conditional_writer, "write", write)]


def skips_hurried() -> list[Patch]:
    """A refused skip is tried again at once, and soon left to its message."""
    original = starts._skip  # noqa: SLF001  # planted in the flow

    def skip(batch: Batch, skipping: Sequence[tuple[Job, Skip]]) -> list[Job]:
        again = original(batch, skipping)
        for each in again:
            each.doubt_ms = each.wake_ms = 0
        return again

    return [(starts, "_skip", skip)]


def longest_at_once() -> list[Patch]:
    """The first pause is as long as the longest."""

    def pause_ms(tries: int, by: float) -> int:
        return backoff.pause_ms(max(tries, 4), by)

    return [(conditional_writer, "pause_ms", pause_ms), (job, "pause_ms", pause_ms)]


PATIENCE = (
    Mutant(
        "longest at once",
        "0140: pauses are short at first",
        longest_at_once,
        ("cold index", "deaf books"),
    ),
    Mutant(
        "skips hurried",
        "0140: a skip is written as patiently as a start",
        skips_hurried,
        ("throttled skips",),
    ),
    Mutant(
        "three tries",
        "0140: an outcome is written until its lease is nearly over",
        three_tries,
        ("throttled", "throttled all"),
    ),
    Mutant(
        "unforgiven",
        "0140: a refusal ends no invocation",
        unforgiven,
        ("throttled reads", "throttled all", "answers"),
    ),
    Mutant(
        "patience unforgiven",
        "0140: a refusal ends no invocation",
        patience_unforgiven,
        ("busy permits",),
    ),
    Mutant(
        "started blindly",
        "0140: a start without an answer is read back",
        started_blindly,
        ("throttled partly", "throttled"),
    ),
    Mutant(
        "next tick",
        "0140: an advance is written in its tick",
        next_tick,
        ("cold index",),
    ),
)
