"""Laws of what is put aside: all that names no run of ours is told once, deleted, and counted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from onthedot.records.keys import run_id
from tests.simulation.faults import ghosts
from tests.simulation.laws.running import laws_messages
from tests.simulation.machine.journal import Journal, pairs
from tests.simulation.stage import Stage
from tests.simulation.stores.queue import Handed

_NAMED = re.compile(r'"run_id":"([^"]+)"')
# Times, and whether the row was there from that time on.
Known = Mapping[str, Sequence[tuple[float, bool]]]


def counted(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks that as many are said to be put aside as strangers wrote, where each message comes
    once.
    """
    said = sum(figures.get("put_aside", 0) for _, figures in stage.figures)
    if said != ghosts.WRITTEN:
        yield f"miscounted: {said:g} put aside, {ghosts.WRITTEN} were written"
    if any("put_aside" in figures and not figures["put_aside"] for _, figures in stage.figures):
        yield "miscounted: it is told that nothing was put aside"


def founded(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks that where only our flows send, a message is put aside only if it names a missing
    run.
    """
    if stage.outside.texts or stage.outside.strangers or stage.poisoned:
        return
    known, hurt = _known(stage), laws_messages.befallen(stage)
    least, most = set[tuple[str, str]](), 0
    for queue in stage.world.queues.queues.values():
        for handed in queue.handed:
            process = handed.process
            sound = process.done and not process.error and process.name not in hurt
            for name in _NAMED.findall(handed.body):
                there = _there(stage, known[name], handed)
                most += False in there
                if sound and True not in there:
                    least.add((process.name, name))
    said = sum(figures.get("put_aside", 0) for _, figures in stage.figures)
    if not len(least) <= said <= most:
        yield f"miscounted: {said:g} put aside, of {len(least)} to {most}"
    if any("put_aside" in figures and not figures["put_aside"] for _, figures in stage.figures):
        yield "miscounted: it is told that nothing was put aside"


def _known(stage: Stage) -> Known:
    found: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for at_us, key, before, after in pairs(stage.world, "runs"):
        if (before is None) != (after is None):
            found[run_id(*key)].append((at_us / 1000, after is not None))
    return found


def _there(stage: Stage, known: Sequence[tuple[float, bool]], handed: Handed) -> set[bool]:
    """Tells whether the row was there, or missing, or both, while a process had its message."""
    end_ms = laws_messages.end_us(stage, handed) / 1000 if handed.process.done else float("inf")
    before = [there for at_ms, there in known if at_ms <= handed.at_us / 1000]
    meanwhile = [there for at_ms, there in known if handed.at_us / 1000 < at_ms <= end_ms]
    return {*(before[-1:] or [False]), *meanwhile}


def once(stage: Stage) -> Iterator[str]:
    """Checks that what is no message is gone once it was told, though its worker dies of a run
    beside it.
    """
    texts, world = stage.outside.texts, stage.world
    if not texts or world.chooser.faults or world.profile.double_message:
        return
    stories = [queue.story for queue in world.queues.queues.values()]
    found = Counter(body for story in stories for _, what, body in story if what == "received")
    for text, written in texts.items():
        if found[text] > written:
            yield f"told again: '{text[:40]}' came {found[text]} times, {written} were written"
