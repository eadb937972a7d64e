"""Planted faults of concurrency keys: a place given up too soon, a rate that nobody keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.work import settlement
from onthedot.work.batch import Batch
from onthedot.work.gates import concurrency_key, key_gate
from onthedot.work.job import Job

Patch = tuple[Any, str, Any]


def place_lost() -> list[Patch]:
    """A run that is to be tried again gives its place up meanwhile."""
    closing = settlement._close  # noqa: SLF001  # planted in the flow

    def close(batch: Batch, settled: Sequence[Job]) -> None:
        for job in settled:
            key_gate.leave(job.held)
        closing(batch, settled)

    return [(settlement, "_close", close)]


def kept() -> list[Patch]:
    """Nobody leaves: those in line are never called."""
    return [(key_gate, "leave", lambda _run: None)]


def unbooked() -> list[Patch]:
    """Everybody books as if nobody had before."""
    booked = concurrency_key.Starts.booked

    def alone(
        seen: concurrency_key.Starts, limit: concurrency_key.Limit, now_ms: int
    ) -> tuple[concurrency_key.Starts, int]:
        return booked(replace(seen, at_ms=()), limit, now_ms)

    return [(concurrency_key.Starts, "booked", alone)]


def untold() -> list[Patch]:
    """A start that comes late for its turn pushes nobody behind it."""
    return [(key_gate, "begun", lambda _jobs: None)]


def never_behind() -> list[Patch]:
    """A run that has booked starts at its time, also if one before it was late."""

    def taken(seen: concurrency_key.Starts, _limit: Any, at_ms: int, now_ms: int) -> Any:
        turn_ms = at_ms + seen.behind_ms
        return seen, max(now_ms, turn_ms)

    return [(concurrency_key.Starts, "take", taken)]
