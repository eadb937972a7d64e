"""Describes runs that outside workers fetch: they have an index of their own and no message.

Their queue is `pull:<priority>:<queue>`, in the place of the queue for messages.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import FINAL, Status

_MARK = "pull:"
NAMES = ("pull", "pull_at")
# Sorts after every priority: a run with a lease appears again when the lease is over.
_LEASED = "9"


def queue_of(priority: int, queue: str) -> str:
    """Returns the queue of a pull target's runs."""
    return f"{_MARK}{priority}:{queue}"


def pulled(queue: str) -> bool:
    """Tells whether outside workers fetch the runs of a queue."""
    return queue.startswith(_MARK)


def alike(queue: str, other: str) -> bool:
    """Tells whether the same workers work both queues: ours, or those of one queue name."""
    return _name(queue) == _name(other)


def _name(queue: str) -> str:
    return queue.split(":", 2)[2] if pulled(queue) else ""


def within(queue: str, names: Collection[str]) -> bool:
    """Tells whether a worker of these queue names works the queue. No names means every queue."""
    return not names or (pulled(queue) and _name(queue) in names)


def partition(tenant_id: str, queue: str) -> str:
    """Returns the index's partition for a queue of a tenant."""
    return f"{tenant_id}#{queue}"


def ranges(now_ms: int) -> tuple[tuple[str, str], ...]:
    """Returns the parts of a partition that are due by now, the most urgent first."""
    return tuple((f"{first}#", f"{first}#{now_ms:013}") for first in ("1", "2", "3", _LEASED))


def marks(run: Run, life: Life) -> tuple[tuple[str, Any], ...]:
    """Returns the run's place in the index. A final run, or one of our queues, has none."""
    if not pulled(run.queue) or life.status in FINAL:
        return ()
    _, priority, queue = run.queue.split(":", 2)
    at = f"{priority}#{life.due_ms:013}"
    if life.status == Status.RUNNING:
        at = f"{_LEASED}#{life.lease_ms:013}"
    return (("pull", partition(run.tenant_id, queue)), ("pull_at", at))


def unmarked(run: Run, life: Life) -> tuple[str, ...]:
    """Returns the attributes that a write must remove from the row."""
    return NAMES if pulled(run.queue) and life.status in FINAL else ()
