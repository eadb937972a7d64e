"""Finds suspects: runs that lost a worker and may have killed it. They are worked alone."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.store import clock
from onthedot.work.decision_table import suspect, was_lost
from onthedot.work.job import Job

# Milliseconds that a suspect waits for the runs beside it, before it looks for another worker.
_SHUT_OUT_MS = 1_000


def startable(waiting: Sequence[Job], running: Sequence[Job]) -> list[Job]:
    """Returns the jobs whose time has come. A suspect only when nothing else runs beside it."""
    now_ms = clock.now_ms()
    due = [job for job in waiting if job.wake_ms <= now_ms]
    trusted = [job for job in due if not suspect(job.run, now_ms)]
    if trusted:
        return trusted
    alone = not running and all(suspect(job.run, now_ms) for job in waiting)
    return due[:1] if alone else []


def shut_out(waiting: Sequence[Job], running: Sequence[Job], began_ms: int) -> list[Job]:
    """Returns the jobs that others keep from starting. If the other is a suspect, at once.

    Other runs are often over soon, and under load nearly every worker has some.
    """
    now_ms = clock.now_ms()
    due = [job for job in waiting if job.wake_ms <= now_ms]
    if any(was_lost(job.run) for job in running):
        return due
    return [job for job in due if now_ms >= moment_ms(job, began_ms)]


def moment_ms(job: Job, began_ms: int) -> int:
    """Returns when something must be done with a job that waits."""
    if job.wake_ms > clock.now_ms():
        return job.wake_ms
    return max(job.wake_ms, began_ms) + _SHUT_OUT_MS
