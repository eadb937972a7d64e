"""Planted faults of lost leases: handlers that nobody tells, processes that nobody ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from onthedot.records.conditional_writes import Outcome
from onthedot.store import conditional_writer
from onthedot.work import heartbeat, prepared_start, target_call
from onthedot.work.job import Job
from onthedot.work.worker import Strays
from tests.simulation.mutants.mutant import Mutant, Patch


def untold() -> list[Patch]:
    """A handler asks for its lease, and hears that it lives."""
    calling = target_call.call_of

    def call_of(*given: Any) -> Any:
        return replace(calling(*given), lease_lost=lambda: False)

    return [(target_call, "call_of", call_of)]


def left_running() -> list[Patch]:
    """A process goes on beside a handler that does not stop."""
    return [(Strays, "add", lambda _self, _lost: None)]


def doubted_for_ever() -> list[Patch]:
    """A heartbeat without an answer is as good as one that was taken."""

    def write_many(writes: Any) -> list[Outcome]:
        outcomes = conditional_writer.write_many(writes)
        return [Outcome.DONE if one is Outcome.UNSURE else one for one in outcomes]

    return [(heartbeat, "conditional_writer", SimpleNamespace(write_many=write_many))]


def started_late() -> list[Patch]:
    """A worker that stood still starts its run on a permit that is over."""
    return [(prepared_start, "_late", lambda _jobs, _now_ms: [])]


def read_too_long() -> list[Patch]:
    """A worker that stood still while it read a run's own payload calls its target all the same."""
    looking: Callable[[Job], bool] = target_call._too_late  # noqa: SLF001  # planted in the flow
    looked: set[tuple[str, int]] = set()

    def too_late(job: Job) -> bool:
        first = (job.held.run_id, job.held.life.starts) not in looked
        looked.add((job.held.run_id, job.held.life.starts))
        return first and looking(job)

    return [(target_call, "_too_late", too_late)]


LEASES = (
    Mutant("untold", "a handler sees that its lease is lost", untold, ("lost leases",)),
    Mutant("left running", "no handler outlives its lease", left_running, ("lost leases",)),
    Mutant(
        "doubted for ever",
        "a lease that was not extended in its time is lost",
        doubted_for_ever,
        ("lost leases",),
        seed=4,
    ),
    Mutant(
        "started late",
        "a permit that is over starts nothing",
        started_late,
        ("stalled permits", "tenants"),
    ),
    Mutant(
        "read too long",
        "no target is called with its lease over",
        read_too_long,
        ("handled stalls bare",),
        seed=6,
    ),
)
