"""Moves a run that has not started from our queues to outside workers, or back."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.conditional_writes import Update
from onthedot.records.runs import pull, run_writes
from onthedot.records.runs.run_row import Run


def hand_over(run: Run, queue: str, *, now_ms: int) -> Update:
    """Writes the other queue, and keeps the index in step with it."""
    write = run_writes.mark(replace(run, queue=queue), run.life, now_ms=now_ms)
    removes = () if pull.pulled(queue) else pull.NAMES
    return replace(write, sets=(*write.sets, ("queue", queue)), removes=removes)
