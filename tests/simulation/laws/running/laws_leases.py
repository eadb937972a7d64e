"""Laws of lost leases: their handlers are told in time, and do not go on beside another worker.

By true time: a lease is over a lease's length after the last write that extended it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.timings import LEASE_SEC
from tests.simulation.faults.outages import GIVES_UP_AFTER_SEC
from tests.simulation.laws.timing.laws_lateness import steady_sec
from tests.simulation.machine.journal import RUN_NAMED, Journal
from tests.simulation.stage import Delivery, Stage

# When a handler has been told, and when its process is gone, after its lease was lost.
_TOLD_SEC, _GONE_SEC = 8, 13
# A permit that cannot be given back holds the worker's loop up for so long.
_GIVING_BACK_MS = 8_000
# From the end of a dead worker's lease to the next start.
_TAKEOVER_MS = 7_000
# A suspect is passed on until it finds a worker that runs nothing else: mostly three times at most.
_PASSES, _PASSED_MS = 3, 1_500
_NEVER = float("inf")


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each handler that was still at work when its lease was over."""
    lost, over = _lost(journal), _over_ms(journal)
    stalls, ends = _stalls(stage), _ends(stage)
    slack_ms = steady_sec(stage) * 1000
    if any("permit#" in outage.partition for outage in stage.world.profile.outages):
        slack_ms += _GIVING_BACK_MS
    if any(outage.reads for outage in stage.world.profile.outages):
        # Who looks whether another has the run hears that late.
        slack_ms += GIVES_UP_AFTER_SEC * 1000
    for delivery in stage.deliveries:
        if stage.task_of(delivery.run_id).target["type"] in stage.targets:
            # Such a target is no handler of this stage's: the laws of words and of handlers judge.
            continue
        ended_ms = min(delivery.ended_ms or _NEVER, ends.get(delivery.process, _NEVER))
        for lost_ms, again_ms in lost[delivery.run_id, delivery.attempt]:
            until_ms = min(ended_ms, again_ms)
            stood_ms = sum(
                end - begin
                for begin, end in stalls[delivery.process]
                if end > lost_ms - LEASE_SEC * 1000 and begin < min(until_ms, end)
            )
            late_ms = lost_ms + slack_ms + stood_ms
            if min(delivery.told_ms or _NEVER, until_ms) > late_ms + _TOLD_SEC * 1000:
                yield f"not told: {_named(delivery)} of its lost lease"
            # A run that is over is executed by nobody else.
            over_ms = over.get(delivery.run_id, _NEVER)
            if min(until_ms, over_ms) > late_ms + _GONE_SEC * 1000:
                sec = (min(until_ms, stage.world.epoch_us() / 1000) - lost_ms) / 1000
                yield f"not gone: {_named(delivery)} went on for {sec:.1f} s without a lease"


def _named(delivery: Delivery) -> str:
    return f"attempt {delivery.attempt} of {delivery.run_id}"


def _lost(journal: Journal) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """Returns from when to when each attempt was without a lease, until it was settled or had one
    again.
    """
    over: dict[tuple[str, int], float] = {}
    found: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None:
            continue
        place = (change.run_id, after.attempt)
        if after.status == "running":
            if change.started or (before and before.lease_ms != after.lease_ms):
                if over.get(place, _NEVER) < change.at_ms:
                    found[place].append((over[place], change.at_ms))
                over[place] = change.at_ms + LEASE_SEC * 1000
        elif before and before.status == "running" and before.attempt == after.attempt:
            # Its own worker, or one that may speak for it, has ended the attempt.
            over.pop(place, None)
    for place, over_ms in over.items():
        found[place].append((over_ms, _NEVER))
    return found


def _over_ms(journal: Journal) -> dict[str, float]:
    found: dict[str, float] = {}
    for change in journal.changes:
        if change.after and change.after.final:
            found.setdefault(change.run_id, change.at_ms)
    return found


def _stalls(stage: Stage) -> dict[str, list[tuple[float, float]]]:
    """Returns when each process, or a part of it, stood still."""
    start_ms = stage.world.start.timestamp() * 1000
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for entry in stage.world.trace:
        if entry[2] == "stalls" and entry[1] is not None:
            at_ms, sec = start_ms + entry[0] / 1000, float(entry[3]["note"].split()[1])
            found[entry[1].name.partition("/")[0]].append((at_ms, at_ms + sec * 1000))
    return found


def _ends(stage: Stage) -> dict[str, float]:
    """Returns when each process ended, answered or dead."""
    start_ms = stage.world.start.timestamp() * 1000
    return {
        each.name: start_ms + each.ended_us / 1000 for each in stage.world.processes if each.done
    }


def resumed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Where nothing disturbs the one who takes it over, a dead worker's run starts again at once.

    Its lease ends 20 s after the last sign of life, and its takeover follows 7 s later at most.
    """
    signs: dict[str, float] = {}
    passed = _passed_on(stage)
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None or after.status != "running":
            continue
        if change.started and before and before.status == "running":
            since_ms = signs[change.run_id] + LEASE_SEC * 1000
            passes = sum(since_ms < at_ms < change.at_ms for at_ms in passed[change.run_id])
            further_ms = max(0, passes - _PASSES) * _PASSED_MS
            late_ms = change.at_ms - since_ms - _TAKEOVER_MS - further_ms
            if late_ms > 0:
                yield f"left lying: {change.run_id} was taken over {late_ms / 1000:.1f} s too late"
        if change.started or (before and before.lease_ms != after.lease_ms):
            signs[change.run_id] = change.at_ms


def _passed_on(stage: Stage) -> dict[str, list[float]]:
    """Returns when a worker passed each run on to another one."""
    start_ms = stage.world.start.timestamp() * 1000
    found: dict[str, list[float]] = defaultdict(list)
    for at_us, _, operation, request, _, _ in stage.world.trace:
        for entry in request.get("Entries", ()) if operation == "send_message_batch" else ():
            if '"why":"split"' in entry["MessageBody"]:
                for run_id in RUN_NAMED.findall(entry["MessageBody"]):
                    found[run_id].append(start_ms + at_us / 1000)
    return found
