"""The law of suspects: a run whose worker was lost is worked alone.

It may be what killed its worker, and must not end other runs with the next one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Delivery, Stage

_WORKER = "work#"


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that after a run was taken over, no other run is called in its process while it
    runs.
    """
    since, settled = _taken_over(journal), _settled(journal)
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
                yield from _beside(call, calls, settled)


def _taken_over(journal: Journal) -> dict[str, int]:
    """Returns the first attempt that began while the one before it was still under way."""
    found: dict[str, int] = {}
    for change in journal.changes:
        if change.started and change.after and change.before and change.before.status == "running":
            found.setdefault(change.run_id, change.after.attempt)
    return found


def _settled(journal: Journal) -> dict[tuple[str, int], float]:
    """Returns when each attempt was settled: a handler that goes on then is nobody's any more."""
    return {
        (change.run_id, change.before.attempt): change.at_ms
        for change in reversed(journal.changes)
        if change.before and change.after and change.before.status == "running"
        if change.after.status != "running"
    }


def _beside(
    suspect: Delivery, calls: Sequence[Delivery], settled: Mapping[tuple[str, int], float]
) -> Iterator[str]:
    for other in calls:
        if other.run_id == suspect.run_id:
            continue
        sooner, later = sorted((suspect, other), key=lambda call: call.at_ms)
        over_ms = settled.get((sooner.run_id, sooner.attempt), float("inf"))
        ended_ms = min(sooner.ended_ms or over_ms, over_ms)
        if ended_ms > later.at_ms:
            yield f"not alone: {suspect.run_id} in {suspect.process} beside {other.run_id}"
