"""Laws of messages: a finished one is deleted; a running run's is shown to no other worker.

By the queues' own records, and the true state of each run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from onthedot.records.keys import run_id as run_id_of
from tests.simulation.machine.journal import Change, Journal, Seen
from tests.simulation.stage import Stage
from tests.simulation.stores.queue import Handed

_OURS = '{"v":1,'
_NAMED = re.compile(r'"run_id":"([^"]+)","attempt":(\d+)')
_FOR_EVER = float("inf")
_QUEUES = ("high", "normal", "low")
# A process that begins in an outage is refused something, or waits for one that was.
_BEHIND_SEC = 30
_LATE_MS = 90_000
# Where many calls take seconds, a beat may come after the message.
_SLOW = 0.1

ByRun = Mapping[str, Sequence[Change]]


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each message that a sound worker received."""
    hurt = befallen(stage)
    by_run = rows_changed(journal)
    for name in _QUEUES:
        queue = stage.world.queues.queue(name)
        next_us: dict[str, int] = {}
        for handed in reversed(queue.handed):
            again_us = next_us.get(handed.place)
            next_us[handed.place] = handed.at_us
            if again_us is None and handed.place not in queue.messages:
                continue
            if handed.process.name in hurt:
                continue
            if not handed.process.done or (again_us and again_us < end_us(stage, handed)):
                yield from _shown(stage, by_run, handed, again_us)
            elif not (handed.process.dead or handed.process.error or journal.limits):
                # A permit may be in the hands of who starts nothing: then its run comes back.
                yield from _left(stage, by_run, handed)
    yield from _unnamed(stage, journal, by_run)


def rows_changed(journal: Journal) -> Mapping[str, list[Change]]:
    found: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        found[change.run_id].append(change)
    return found


def end_us(stage: Stage, handed: Handed) -> int:
    return stage.world.epoch_us() - stage.world.now_us + handed.process.ended_us


def befallen(stage: Stage) -> set[str]:
    """Names the processes that a fault, a stall or an outage hit."""
    found = set()
    windows = [
        (each.from_sec, each.from_sec + each.for_sec + _BEHIND_SEC)
        for each in stage.world.profile.outages
    ]
    for at_us, who, what, _, _, fault in stage.world.trace:
        if who is None:
            continue
        if fault or what == "stalls" or any(a <= at_us / 1_000_000 <= z for a, z in windows):
            found.add(who.name.partition("/")[0])
    return found


def _shown(stage: Stage, by_run: ByRun, handed: Handed, at_us: int | None) -> Iterator[str]:
    """Checks that while a worker executes a run, no other worker receives its message."""
    slow = stage.world.profile.slow > _SLOW
    for run_id, _ in _NAMED.findall(handed.body) if at_us and not slow else ():
        changes = by_run[run_id]
        place = _place(changes, (at_us or 0) / 1000)
        start = next((one for one in reversed(changes[:place]) if one.started), None)
        after = changes[place - 1].after if place else None
        if start is None or after is None or after.status != "running":
            continue
        if start.writer is handed.process:
            yield f"shown meanwhile: a message of {run_id}, which {start.writer.name} executes"


def _left(stage: Stage, by_run: ByRun, handed: Handed) -> Iterator[str]:
    """Checks that a message comes back from a sound worker only if one of its runs was in other
    hands.
    """
    end_ms = end_us(stage, handed) / 1000
    runs = _NAMED.findall(handed.body) if handed.body.startswith(_OURS) else ()
    if any(run_id.partition(".")[0] in unreadable(stage) for run_id, _ in runs):
        return
    if runs and not any(_elsewhere(by_run[name], handed, end_ms) for name, _ in runs):
        yield f"left: a message of {runs[0][0]}, which was in no other hands"


def unreadable(stage: Stage) -> set[str]:
    """Names the tasks that nobody can read: a worker leaves their runs."""
    poisoned = {task.task_id for task in stage.tasks if task.name in stage.poisoned}
    return stage.illegible | poisoned


def _elsewhere(changes: Sequence[Change], handed: Handed, end_ms: float) -> bool:
    """Tells whether others wrote its row meanwhile, execute it, or are to be stopped."""
    first, last = _place(changes, handed.at_us / 1000), _place(changes, end_ms)
    if not last:
        return True
    after = changes[last - 1].after
    if after is None or after.status in ("running", "awaiting") or "waits_on" in after.life:
        return True
    late = after.status == "claimed" and end_ms > after.due_ms + _LATE_MS
    if late and end_ms < int(after.life.get("claim_until", {"N": "0"})["N"]):
        # Its dispatcher may be about to count it: a worker that is to end it waits for that.
        return True
    return any(one.writer is not handed.process for one in changes[first:last])


def _unnamed(stage: Stage, journal: Journal, by_run: ByRun) -> Iterator[str]:
    """Checks that an open run whose last message is deleted stands in a line, or is fetched."""
    if stage.world.profile.purge:
        return
    stood = stood_in(journal)
    queues = stage.world.queues.queues.values()
    copies: Counter[str] = Counter()
    for at_us, what, body in sorted((one for queue in queues for one in queue.story), key=_at):
        for run_id, _ in _NAMED.findall(body):
            copies[run_id] += 1 if what == "held" else -1 if what != "received" else 0
            if what == "deleted" and not copies[run_id]:
                after = _state(by_run[run_id], at_us / 1000)
                if after is None or after.final or after.fetched:
                    continue
                if run_id.partition(".")[0] in stage.illegible:
                    continue
                stands = _stands(stood[run_id], at_us / 1000)
                if not stands and not _is_behind(journal, by_run[run_id], at_us / 1000):
                    yield f"without a message: {run_id}, which is {after.status}"


def _at(one: tuple[int, str, str]) -> int:
    return one[0]


def _state(changes: Sequence[Change], at_ms: float) -> Seen | None:
    place = _place(changes, at_ms)
    return changes[place - 1].after if place else None


def _place(changes: Sequence[Change], at_ms: float) -> int:
    """Returns how many there were by then."""
    return bisect_right(changes, at_ms, key=lambda one: one.at_ms)


def stood_in(journal: Journal) -> Mapping[str, list[tuple[float, float]]]:
    """Returns from when to when each run stood in a line: of its task, its key, its tenant, for
    room.
    """
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for run_id, at_ms in _put_off(journal):
        found[run_id].append((at_ms, _FOR_EVER))
    for place, gates in journal.gates.items():
        since: dict[str, float] = {}
        for held in gates:
            for name in since.keys() - set(held.waiting):
                found[_of(place, name)].append((since.pop(name), held.at_ms))
            for name in held.waiting:
                since.setdefault(name, held.at_ms)
        for name, at_ms in since.items():
            found[_of(place, name)].append((at_ms, _FOR_EVER))
    for run_id, moments in journal.lines.items():
        ends = [*(at_ms for at_ms, _ in moments[1:]), _FOR_EVER]
        for (at_ms, stands), end_ms in zip(moments, ends, strict=True):
            if stands:
                found[run_id].append((at_ms, end_ms))
    return found


def _put_off(journal: Journal) -> Iterator[tuple[str, float]]:
    """Yields when a worker that had no room for a run wrote that down."""
    for change in journal.changes:
        after = change.after
        if after and not after.attempt and after.life.get("waited") == {"S": "lane"}:
            yield change.run_id, change.at_ms


def _of(place: str, name: str) -> str:
    return name if place.startswith("key#") else run_id_of(place, name)


def _is_behind(journal: Journal, changes: Sequence[Change], at_ms: float) -> bool:
    """Tells whether others of its task catch up, and it stands in their line."""
    gates = [one for one in journal.gates[changes[0].task_id] if one.at_ms <= at_ms]
    return bool(gates) and bool(gates[-1].since) and gates[-1].since <= changes[0].key


def _stands(stood: Sequence[tuple[float, float]], at_ms: float) -> bool:
    return any(begin <= at_ms <= end for begin, end in stood)
