"""Planted faults of concurrency keys: a place given up too soon, a rate that nobody keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.core import keyed as limits
from onthedot.flows import keyed, settling
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job

Patch = tuple[Any, str, Any]


def place_lost() -> list[Patch]:
    """A run that is to be tried again gives its place up meanwhile."""
    closing = settling._close  # noqa: SLF001  # planted in the flow

    def close(batch: Batch, settled: Sequence[Job]) -> None:
        for job in settled:
            keyed.leave(job.held)
        closing(batch, settled)

    return [(settling, "_close", close)]


def kept() -> list[Patch]:
    """Nobody leaves: those in line are never called."""
    return [(keyed, "leave", lambda _run: None)]


def unbooked() -> list[Patch]:
    """Everybody books as if nobody had before."""
    booked = limits.Starts.booked

    def alone(seen: limits.Starts, limit: limits.Limit, now_ms: int) -> tuple[limits.Starts, int]:
        return booked(replace(seen, at_ms=()), limit, now_ms)

    return [(limits.Starts, "booked", alone)]


def untold() -> list[Patch]:
    """A start that comes late for its turn pushes nobody behind it."""
    return [(keyed, "begun", lambda _jobs: None)]


def never_behind() -> list[Patch]:
    """Who has booked starts at its time, whoever was late before it."""

    def taken(seen: limits.Starts, _limit: Any, at_ms: int, now_ms: int) -> Any:
        turn_ms = at_ms + seen.behind_ms
        return seen, max(now_ms, turn_ms)

    return [(limits.Starts, "take", taken)]
