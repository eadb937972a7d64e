"""Laws of what is put aside: all that names no run of ours is told once, deleted, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.simulation import ghosts
from tests.simulation.journal import Journal
from tests.simulation.stage import Stage


def counted(stage: Stage, _journal: Journal) -> Iterator[str]:
    """As many are said to be put aside as strangers wrote, where each message comes once."""
    said = sum(figures.get("put_aside", 0) for _, figures in stage.figures)
    if said != ghosts.WRITTEN:
        yield f"miscounted: {said:g} put aside, {ghosts.WRITTEN} were written"
    if any("put_aside" in figures and not figures["put_aside"] for _, figures in stage.figures):
        yield "miscounted: it is told that nothing was put aside"


def once(stage: Stage) -> Iterator[str]:
    """What is no message is gone once it was told, though its worker dies of a run beside it."""
    texts, world = stage.outside.texts, stage.world
    if not texts or world.chooser.faults or world.profile.double_message:
        return
    stories = [queue.story for queue in world.queues.queues.values()]
    found = Counter(body for story in stories for _, what, body in story if what == "received")
    for text, written in texts.items():
        if found[text] > written:
            yield f"told again: '{text[:40]}' came {found[text]} times, {written} were written"
