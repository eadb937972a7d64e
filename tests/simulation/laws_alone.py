"""The law of suspects: a run over which a worker was lost is worked alone, whatever becomes due.

It may be what killed its worker, and is to take nobody along.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.simulation.stage import Delivery, Stage

_WORKER = "work#"


def kept(stage: Stage) -> Iterator[str]:
    """By the calls of targets alone: who was never heard of again, and what ran beside."""
    lost: set[str] = set()
    by_run: dict[str, list[Delivery]] = defaultdict(list)
    by_process: dict[str, list[Delivery]] = defaultdict(list)
    for call in stage.deliveries:
        if not call.process.startswith(_WORKER):
            continue
        if any(not 0 < one.ended_ms < call.at_ms for one in by_run[call.run_id]):
            lost.add(call.run_id)
        by_run[call.run_id].append(call)
        by_process[call.process].append(call)
    for run_id in lost:
        for suspect in _suspects(by_run[run_id]):
            yield from _beside(suspect, by_process[suspect.process])


def _suspects(calls: Sequence[Delivery]) -> Iterator[Delivery]:
    """Those that came after one that was not answered by then."""
    for place, call in enumerate(calls):
        if any(not 0 < one.ended_ms < call.at_ms for one in calls[:place]):
            yield call


def _beside(suspect: Delivery, calls: Sequence[Delivery]) -> Iterator[str]:
    for other in calls:
        if other.run_id == suspect.run_id:
            continue
        sooner, later = sorted((suspect, other), key=lambda call: call.at_ms)
        if not 0 < sooner.ended_ms <= later.at_ms:
            yield f"not alone: {suspect.run_id} in {suspect.process} beside {other.run_id}"
