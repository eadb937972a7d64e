"""The law of suspects: a run whose worker was lost is worked alone.

It may be what killed its worker, and must not end other runs with the next one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.simulation.journal import Journal
from tests.simulation.stage import Delivery, Stage

_WORKER = "work#"


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """After a run was taken over, no other run is called in its process while it runs."""
    since = _taken_over(journal)
    if not since:
        return
    by_process: dict[str, list[Delivery]] = defaultdict(list)
    for call in stage.deliveries:
        by_process[call.process].append(call)
    for process, calls in by_process.items():
        if not process.startswith(_WORKER):
            continue
        for call in calls:
            if since.get(call.run_id, call.attempt + 1) <= call.attempt:
                yield from _beside(call, calls)


def _taken_over(journal: Journal) -> dict[str, int]:
    """The first attempt that began while the one before it was still under way."""
    found: dict[str, int] = {}
    for change in journal.changes:
        if change.started and change.after and change.before and change.before.status == "running":
            found.setdefault(change.run_id, change.after.attempt)
    return found


def _beside(suspect: Delivery, calls: Sequence[Delivery]) -> Iterator[str]:
    for other in calls:
        if other.run_id == suspect.run_id:
            continue
        sooner, later = sorted((suspect, other), key=lambda call: call.at_ms)
        if not 0 < sooner.ended_ms <= later.at_ms:
            yield f"not alone: {suspect.run_id} in {suspect.process} beside {other.run_id}"
