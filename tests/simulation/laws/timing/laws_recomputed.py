"""Laws of a changed calendar: the work on the tasks that name it comes to its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.registry import calendar_edits
from tests.simulation.laws.requests.laws_asked import befallen
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage

_STEPS = frozenset({"step", "loops"})
_MINUTE_MS = 60_000
# It looks at all of them twice, and its first minute may have just begun.
_PASSES = 2
_MORE = 1


def ended(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that as many minutes as the tasks that name it take, a pass more, and what went
    wrong.
    """
    begun = {one: loop for one, loop in journal.loops.items() if loop.of.startswith("recompute#")}
    if not begun or stage.world.profile.outages:
        return
    start_ms = stage.world.epoch_us() / 1000 - stage.world.now_us / 1000
    looks = [
        start_ms + each[0] / 1000
        for each in stage.world.trace
        if each[1] is not None and each[1].kind in _STEPS
    ]
    table = stage.world.store.table("runs").rows.items
    per_minute = stage.sizes.per_minute or calendar_edits.PER_MINUTE
    minutes = -(-len(journal.versions) // per_minute) + _PASSES + _MORE
    minutes += len(befallen(stage))
    for name, loop in begun.items():
        item: dict[str, Any] = plain_item(table[loop.of, name])
        until_ms = loop.at_ms + minutes * _MINUTE_MS
        if item["status"] == "running" and max(looks, default=0.0) > until_ms:
            yield f"unfinished: {name} still goes on after {minutes} minutes"
