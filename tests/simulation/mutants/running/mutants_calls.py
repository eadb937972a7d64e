"""Planted faults of calls: what a target is told, who calls it, how a worker waits meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onthedot.records.runs import message_pack
from onthedot.store import clock
from onthedot.work import awaited_completion, settlement, target_call, worker
from onthedot.work.batch import Batch
from onthedot.work.job import Job
from tests.simulation.mutants.mutant import Mutant, Patch


def _told(**otherwise: Callable[[Any], Any]) -> list[Patch]:
    """A call says something else than what is so."""
    calling = target_call.call_of

    def call_of(*given: Any) -> Any:
        call = calling(*given)
        return replace(call, **{name: said(call) for name, said in otherwise.items()})

    return [(target_call, "call_of", call_of)]


def no_slot() -> list[Patch]:
    """A backfill does not say which slot it stands for."""
    return _told(scheduled_for=lambda call: call.scheduled_for if "~" not in call.run_id else None)


def last_try() -> list[Patch]:
    """A call says that it is the last try."""
    return _told(max_attempts=lambda call: call.attempt)


def more_time() -> list[Patch]:
    """A call says that its time is over with the minute."""
    return _told(deadline_ms=lambda call: call.deadline_ms - call.deadline_ms % 60_000)


def calm_for_long() -> list[Patch]:
    """Ends wait for others' starts as long as they like."""
    return [(worker, "_let_others_start", lambda _began: clock.monotonic() + 4)]


def slow_beats() -> list[Patch]:
    """A lease is extended when half of it is over."""
    return [(worker, "HEARTBEAT_SEC", 10)]


def restless() -> list[Patch]:
    """Who waits looks at its clock all the while."""
    return [(worker, "_wait", lambda *_: clock.sleep(0.001))]


def lease_over() -> list[Patch]:
    """A target is called whatever is left of its lease."""
    return [(target_call, "DELIVER_MIN_SEC", -600)]


def unreported() -> list[Patch]:
    """Nobody hears how far a handler is."""
    return [(Job, "reached", property(lambda job: job.held.life.progress))]


def forgotten() -> list[Patch]:
    """The end of an attempt drops the progress that its handler reported."""
    return [(Job, "reached", property(lambda _job: None))]


def slow_calls() -> list[Patch]:
    """The next message of a run that was called back comes too late."""
    delay = message_pack.delay_sec
    return [(awaited_completion, "delay_sec", lambda *at: delay(*at) + 2)]


def with_the_batch() -> list[Patch]:
    """A message is deleted when all of its batch are done with."""
    return [(Batch, "delete_done", lambda _batch: None)]


def slow_retries() -> list[Patch]:
    """The message of a next attempt comes when it should have begun."""
    delay = message_pack.delay_sec
    return [(settlement, "delay_sec", lambda due_ms, now_ms: delay(due_ms, now_ms) + 4)]


CALLS = (
    Mutant("no slot", "a backfill says what it stands for", no_slot, ("backfills",)),
    Mutant("last try", "a call says how often it may be tried", last_try, ("retries",)),
    Mutant("more time", "a call says when its time is over", more_time, ("calm", "handled")),
    Mutant("calm for long", "an end is written soon", calm_for_long, ("calm",)),
    Mutant("slow beats", "a lease is extended in its time", slow_beats, ("lines", "deaf")),
    Mutant("lease over", "who has no lease calls nobody", lease_over, ("late calls",)),
    Mutant("unreported", "a row shows how far its run is", unreported, ("handled",)),
    Mutant("with the batch", "what is done with is deleted", with_the_batch, ("deaf", "failing")),
    Mutant("slow retries", "a retry begins at its time", slow_retries, ("failing",)),
    Mutant("forgotten", "an end keeps how far its run was", forgotten, ("gates", "retries")),
    Mutant(
        "slow calls",
        "a retry begins when its row says",
        slow_calls,
        ("callbacks", "callbacks bare"),
        seed=1,
    ),
    Mutant("restless", "who waits sleeps", restless, ("lines", "deaf")),
)
