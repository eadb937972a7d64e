"""Runs that outside workers fetch: they are in an index of their own, and in no message.

`pull:<priority>:<queue>` stands where other runs name the queue that their messages go by.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from onthedot.records.runs.run_row import FINAL, Life, Run

_MARK = "pull:"
NAMES = ("pull", "pull_at")
# After every priority: a run under a lease turns up again when the lease is over.
_LEASED = "9"


def queue_of(priority: int, queue: str) -> str:
    """Name the queue of a pull target's runs."""
    return f"{_MARK}{priority}:{queue}"


def pulled(queue: str) -> bool:
    """Tell whether workers fetch the runs of a queue."""
    return queue.startswith(_MARK)


def alike(queue: str, other: str) -> bool:
    """Tell whether the same workers work the runs of both: ours, or those of one queue's name."""
    return _name(queue) == _name(other)


def _name(queue: str) -> str:
    return queue.split(":", 2)[2] if pulled(queue) else ""


def within(queue: str, names: Collection[str]) -> bool:
    """Tell whether runs of a queue are for a worker of the queues of these names; none is any."""
    return not names or (pulled(queue) and _name(queue) in names)


def partition(tenant_id: str, queue: str) -> str:
    """Give the index's partition of what a tenant's workers fetch from a queue."""
    return f"{tenant_id}#{queue}"


def ranges(now_ms: int) -> tuple[tuple[str, str], ...]:
    """Give the parts of a partition that are due by now, the most urgent first."""
    return tuple((f"{first}#", f"{first}#{now_ms:013}") for first in ("1", "2", "3", _LEASED))


def marks(run: Run, life: Life) -> tuple[tuple[str, Any], ...]:
    """Give the run's place in the index; one that is final, or not fetched, has none."""
    if not pulled(run.queue) or life.status in FINAL:
        return ()
    _, priority, queue = run.queue.split(":", 2)
    at = f"{priority}#{life.due_ms:013}"
    if life.status == "running":
        at = f"{_LEASED}#{life.lease_ms:013}"
    return (("pull", partition(run.tenant_id, queue)), ("pull_at", at))


def unmarked(run: Run, life: Life) -> tuple[str, ...]:
    """Name what a write must take off the row."""
    return NAMES if pulled(run.queue) and life.status in FINAL else ()
