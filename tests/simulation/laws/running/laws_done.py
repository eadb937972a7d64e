"""Laws of messages: a finished one is deleted, a busy one comes back by itself.

By the queues' own records, what the stores answered, and the true state of each run.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from tests.simulation.laws.running.laws_words import begun_of, ends_of
from tests.simulation.laws.timing.laws_lateness import steady_sec
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage

_RUN = re.compile(r'"run_id":"([^"]+)"')
_QUEUES = ("high", "normal", "low")
# A few tries with their pauses, and the release of places.
_SOON_MS = 3_000
# After these faults a worker goes on: it reads back what it wrote.
_READ_BACK = frozenset({"done twice", "answer lost", "part done, answer lost"})


def deleted(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a worker deletes a message soon after all of its attempts have ended.

    Any process may have written that end. If the next attempt has begun by then, its worker
    may need the message.
    """
    hurt, ended = _hurt(stage), dict[tuple[str, str], float]()
    ends, begun = ends_of(journal), begun_of(journal)
    most_ms = _SOON_MS + 1000 * steady_sec(stage)
    for call in stage.deliveries:
        end = ends.get((call.run_id, call.attempt))
        if end is None or not call.ended_ms:
            continue
        at_ms = max(end.at_ms, call.ended_ms)
        if begun.get((call.run_id, call.attempt + 1), float("inf")) > at_ms + most_ms:
            ended[call.process, call.run_id] = at_ms
    for name in _QUEUES:
        queue = stage.world.queues.queue(name)
        gone: dict[str, list[int]] = defaultdict(list)
        for at_us, what, body in queue.story:
            if what in ("deleted", "lost"):
                gone[body].append(at_us)
        for handed in queue.handed:
            runs = _RUN.findall(handed.body)
            over = [ended.get((handed.process.name, run_id)) for run_id in runs]
            if handed.process.name in hurt or not over or None in over:
                continue
            since_ms = max(each or 0.0 for each in over)
            until_us = next((at for at in gone[handed.body] if at >= handed.at_us), None)
            late_ms = (until_us or stage.world.epoch_us()) / 1000 - since_ms - most_ms
            if late_ms > 0:
                yield f"not done with: {runs[0]}, its message stays {late_ms / 1000:.1f} s too long"


def kept(stage: Stage) -> Iterator[str]:
    """Checks that a run's own message comes back by itself; only a run of a pack gets another one.

    What a worker received by itself goes back as another message.
    """
    packed = {
        (handed.process.name, run_id)
        for name in _QUEUES
        for handed in stage.world.queues.queue(name).handed
        for run_id in _several(handed.body)
    }
    fetched = {run_id for body in _received_besides(stage) for run_id in _RUN.findall(body)}
    for entry in stage.world.trace:
        process, operation, request = entry[1:4]
        if operation != "send_message_batch" or process is None or process.kind != "work":
            continue
        for each in request["Entries"]:
            named = _RUN.findall(each["MessageBody"])
            known = (process.name, named[0]) in packed or named[0] in fetched
            if '"why":"busy"' in each["MessageBody"] and not known:
                yield f"multiplied: {process.name} sent another message of {named[0]}"


def _received_besides(stage: Stage) -> Counter[str]:
    """Returns messages that workers received by themselves: no poller handed them over."""
    queues = [stage.world.queues.queue(name) for name in _QUEUES]
    received = Counter(body for one in queues for _, what, body in one.story if what == "received")
    return received - Counter(handed.body for one in queues for handed in one.handed)


def _several(body: str) -> Sequence[str]:
    """Returns the runs of a message that names more than one."""
    runs = _RUN.findall(body)
    return runs if len(runs) > 1 else ()


def _hurt(stage: Stage) -> set[str]:
    """Names the processes with a fault that is worse than a lost answer to a write."""
    found = {each.name for each in stage.world.processes if each.dead or each.error}
    outages = [(one.from_sec, one.from_sec + one.for_sec) for one in stage.world.profile.outages]
    for at_us, who, what, _, _, fault in stage.world.trace:
        if who is None:
            continue
        minor = what == "batch_execute_statement" and fault in _READ_BACK
        during = any(begin <= at_us / 1_000_000 <= end + 2 for begin, end in outages)
        if during or what in ("stalls", "killed") or (fault and not minor):
            found.add(who.name.partition("/")[0])
    return found
