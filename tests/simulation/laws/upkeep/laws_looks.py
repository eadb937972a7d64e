"""Laws of the audit's looks: each minute at the last half hour, each hour at all of the day before.

Judged by which lists it asked the store for, in what order, and by what kind of read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from onthedot.schedule.time.instants import nominal
from onthedot.store.clock import CORRECTED_MAX_MS
from tests.simulation.laws.running import laws_messages
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import RUN_NAMED, SENDS, Change, Journal, Seen
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage

_MINUTE_SEC, _HOUR_SEC, _DAY_SEC = 60, 3_600, 86_400
# Two clocks differ, and earlier acts take time.
_EDGE_SEC = 10
_LISTS, _RESENT = "check#", '"why":"resend"'
# The longest wait until the next look; and the error of two clocks and a slow call.
_QUARTER_MIN, _EDGE_MIN = 15, 0.3
# How long after its lease or due time the audit sends a run again; and what a call takes.
_AFTER_LEASE_MS, _AFTER_DUE_MS, _CALL_MS = 50_000, 20_000, 100
# The audit reads all runs of a list before it sends some of them again.
_READ_MS = 10_000


def obeyed(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks each look without a fault or a stall."""
    yield from _cheap(stage)
    hurt = {entry[1] for entry in stage.world.trace if entry[5] or entry[2] == "stalls"}
    asked = _asked(stage)
    older: dict[float, list[Sequence[int]]] = defaultdict(list)
    for process in stage.world.processes:
        if process.kind != "audit" or len(process.parts) < 3 or not process.done:
            continue
        look, further = process.parts[1:3]
        if look not in hurt and look.done and look.error is None:
            yield from _lately(stage, look, asked.get(look, []))
        if further in hurt:
            continue
        if further not in asked:
            yield f"looked too little: {process.name} asked for nothing of the day before"
            continue
        older[asked[further][0][0] // _HOUR_SEC].append([at for _, at in asked[further]])
    for begun, looks in older.items():
        yield from _of_hour(int(begun), looks)


def _asked(stage: Stage) -> dict[Process, list[tuple[float, int]]]:
    """Returns which minutes each process asked for, and when, in its order."""
    start = stage.world.start.timestamp()
    found: dict[Process, list[tuple[float, int]]] = defaultdict(list)
    for at_us, process, what, request, *_ in stage.world.trace:
        if process is None or what != "query" or "ExclusiveStartKey" in request:
            continue
        named = str(request.get("ExpressionAttributeValues", {}).get(":p", {}).get("S", ""))
        if named.startswith(_LISTS):
            minute = datetime.fromisoformat(f"{named.split('#')[1]}:00Z")
            found[process].append((start + at_us / 1e6, int(minute.timestamp())))
    return found


def _lately(stage: Stage, look: Process, asked: Sequence[tuple[float, int]]) -> Iterator[str]:
    """Checks that the last minutes up to this one, once each, the oldest first; a late look, the
    next too.
    """
    minutes = [at for _, at in asked]
    late = bool(asked) and _EDGE_SEC < asked[0][0] % _MINUTE_SEC < _MINUTE_SEC - _EDGE_SEC
    if len(minutes) == stage.auditor.look_back_min + 2:
        minutes.pop()
    elif late:
        yield f"looked astray: {look.name} came late, and not at what was overdue by then"
    if any(later - sooner != _MINUTE_SEC for sooner, later in pairwise(minutes)):
        yield f"looked astray: {look.name} asked for {[nominal(at) for at in minutes]}"
    if len(minutes) != stage.auditor.look_back_min + 1:
        yield f"looked astray: {look.name} asked for {len(minutes)} minutes"
    elif not -_EDGE_SEC <= asked[0][0] - minutes[-1] <= _MINUTE_SEC + _EDGE_SEC:
        yield f"looked astray: {look.name} asked for the minutes up to {nominal(minutes[-1])}"


def _of_hour(hour: int, looks: Sequence[Sequence[int]]) -> Iterator[str]:
    """Checks each look goes on where the last one ended: sixty looks see more than a day."""
    minutes = [at for look in looks for at in look]
    if any(later - sooner != _MINUTE_SEC for sooner, later in pairwise(minutes)):
        yield f"looked astray: of the day before {len(minutes)} minutes, and not all between them"
    least = _DAY_SEC // _MINUTE_SEC // 60
    if any(len(look) < least for look in looks):
        yield f"looked too little: at less than {least} minutes of the day before"
    back = hour * _HOUR_SEC - minutes[0]
    if not _DAY_SEC <= back <= _DAY_SEC + 2 * _HOUR_SEC:
        yield f"looked astray: back to {nominal(minutes[0])}"


def _cheap(stage: Stage) -> Iterator[str]:
    """Lists are read at half the price: what one read misses, the next look sees."""
    for _, process, what, request, *_ in stage.world.trace:
        if process is None or process.kind != "audit" or what != "query":
            continue
        named = str(request.get("ExpressionAttributeValues", {}).get(":p", {}).get("S", ""))
        if named.startswith(_LISTS) and request.get("ConsistentRead"):
            yield f"dear: {process.name} reads {named} for twice the price"
            return


def asked_after(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that the audit waits before it sends a run again: the run may still have its
    message.
    """
    of_run: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        of_run[change.run_id].append(change)
    sent, befallen = 0, laws_messages.befallen(stage)
    start_ms, off_ms = stage.world.start.timestamp() * 1000, clocks_off_sec(stage) * 1000 + _CALL_MS
    looks = {part for whole in stage.world.processes for part in whole.parts[1:3]}
    for at_us, process, what, request, *_ in stage.world.trace:
        # Other acts send runs, too: those that their edits take out of the index.
        if process not in looks or process.kind != "audit" or what not in SENDS:
            continue
        at_ms = start_ms + at_us / 1000
        for body in (one["MessageBody"] for one in request.get("Entries", ())):
            for name in RUN_NAMED.findall(body) if _RESENT in body else ():
                sent += 1
                seen = _read_of(of_run[name], at_ms)
                # One that stood still had looked long before; one may have a clock that is astray.
                right = abs(process.skew_us) <= CORRECTED_MAX_MS * 1000
                soon = right and process.name.partition("/")[0] not in befallen
                if soon and seen and all(at_ms < _overdue_ms(one) - off_ms for one in seen):
                    yield f"asked after too soon: {name} is {seen[-1].status}"
    said = sum(int(figures.get("resent", 0)) for _, figures in stage.figures)
    if said != sent and not any(name.startswith("audit") for name in befallen):
        yield f"miscounted: {said} asked after, {sent} were"


def _read_of(changes: Sequence[Change], at_ms: float) -> list[Seen]:
    """Gives each state of the row since the audit may have read it."""
    before = [one for one in changes if one.at_ms <= at_ms - _READ_MS][-1:]
    since = [one for one in changes if at_ms - _READ_MS < one.at_ms <= at_ms]
    return [one.after for one in (*before, *since) if one.after is not None]


def _overdue_ms(seen: Seen) -> int:
    if seen.status in ("running", "awaiting"):
        return seen.lease_ms + _AFTER_LEASE_MS
    return seen.due_ms + _AFTER_DUE_MS


def carried(stage: Stage) -> Iterator[str]:
    """Checks that the audit looks at open runs less and less often, but at least every quarter of
    an hour.
    """
    start, astray = stage.world.start.timestamp(), stage.world.profile.astray
    edge_min = _EDGE_MIN + bool(astray) * stage.world.profile.astray_ms[1] / 60_000
    stalled = {process for _, process, what, *_ in stage.world.trace if what == "stalls"}
    for at_us, process, what, request, *_ in stage.world.trace:
        if process is None or process.kind != "audit" or what != "put_item" or process in stalled:
            continue
        item = request["Item"]
        if "carried" not in item or not item["task_id"]["S"].startswith(_LISTS):
            continue
        at, number = start + at_us / 1e6, int(item["carried"]["N"])
        begun = datetime.fromisoformat(f"{item['task_id']['S'].split('#')[1]}:00Z").timestamp()
        waits = (begun - at) / _MINUTE_SEC
        wanted = min(2 ** (number - 1), _QUARTER_MIN)
        if number and not wanted - 1 - edge_min <= waits <= wanted + edge_min:
            yield f"carried on: for {waits:.1f} minutes, {wanted} are due the time number {number}"
