"""Suspects: runs whose worker was lost are worked alone, for one of them may be what killed it."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.store import clock
from onthedot.work.decision_table import suspect, was_lost
from onthedot.work.job import Job

# So long a suspect waits for what runs beside it, before it looks for a worker of its own.
_SHUT_OUT_MS = 1_000


def ready(waiting: Sequence[Job], running: Sequence[Job]) -> list[Job]:
    """Those whose time has come; a suspect only when nothing else runs, or will, beside it."""
    now_ms = clock.now_ms()
    due = [job for job in waiting if job.wake_ms <= now_ms]
    trusted = [job for job in due if not suspect(job.run, now_ms)]
    if trusted:
        return trusted
    alone = not running and all(suspect(job.run, now_ms) for job in waiting)
    return due[:1] if alone else []


def shut_out(waiting: Sequence[Job], running: Sequence[Job], began_ms: int) -> list[Job]:
    """Those that others keep from starting: at once if it is a suspect, for it may take long.

    Trusted runs are often over soon, and under load there is hardly a worker without some.
    """
    now_ms = clock.now_ms()
    due = [job for job in waiting if job.wake_ms <= now_ms]
    if any(was_lost(job.run) for job in running):
        return due
    return [job for job in due if now_ms >= moment_ms(job, began_ms)]


def moment_ms(job: Job, began_ms: int) -> int:
    """When something is to be done with one that waits."""
    if job.wake_ms > clock.now_ms():
        return job.wake_ms
    return max(job.wake_ms, began_ms) + _SHUT_OUT_MS
