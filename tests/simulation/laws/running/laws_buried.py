"""Laws of what SQS has given up on: a sound process deals with each such message, and once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.simulation.laws.running import laws_messages
from tests.simulation.machine.journal import SENDS, Change, Journal
from tests.simulation.stage import Stage
from tests.simulation.stores.queue import Handed

# Anybody may have written one, and put spaces where they like.
_NAMED = re.compile(r'"run_id":\s*"([^"]+)"')


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each message that a sound process of bury received."""
    queue = stage.world.queues.queue("dead")
    if not queue.handed:
        return
    hurt = laws_messages.befallen(stage)
    sound = [one for one in queue.handed if one.process.done and one.process.name not in hurt]
    sound = [one for one in sound if not (one.process.dead or one.process.error)]
    by_run = laws_messages.rows_changed(journal)
    last = {one.place: one for one in queue.handed}
    for handed in sound:
        if last[handed.place] is handed and handed.place not in queue.messages:
            continue
        if not _moved(stage, by_run, handed):
            yield f"not dealt with: {handed.body[:120]} came back to bury"
    yield from _sent_once(stage, sound)


def _moved(stage: Stage, by_run: Mapping[str, Sequence[Change]], handed: Handed) -> bool:
    """Tells whether others wrote the row of one of its runs meanwhile, or nobody can read it."""
    first_ms, last_ms = handed.at_us / 1000, laws_messages.end_us(stage, handed) / 1000
    for run_id in _NAMED.findall(handed.body):
        if run_id.partition(".")[0] in laws_messages.unreadable(stage):
            return True
        for change in by_run.get(run_id, ()):
            if first_ms <= change.at_ms <= last_ms and change.writer is not handed.process:
                return True
    return False


def _sent_once(stage: Stage, sound: Sequence[Handed]) -> Iterator[str]:
    """Checks that it sends at most one message of a run for each that it was handed."""
    given: dict[str, Counter[str]] = {}
    for handed in sound:
        given.setdefault(handed.process.name, Counter()).update(_NAMED.findall(handed.body))
    sent: dict[str, Counter[str]] = {name: Counter() for name in given}
    for _, process, what, request, answer, _ in stage.world.trace:
        if process is None or what not in SENDS or not isinstance(answer, dict):
            continue
        runs = sent.get(process.name.partition("/")[0])
        for one in request.get("Entries", ()) if runs is not None else ():
            if runs is not None and '"why":"resend"' in one["MessageBody"]:
                runs.update(_NAMED.findall(one["MessageBody"]))
    for name, runs in sent.items():
        for run_id, count in runs.items():
            if count > given[name][run_id]:
                yield f"sent again: {name} sent {count} messages of {run_id}"
