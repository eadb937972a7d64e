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
    reading = limits.starts

    def starts(place: str, item: Any) -> Any:
        return replace(reading(place, item), at_ms=())

    return [(limits, "starts", starts)]
