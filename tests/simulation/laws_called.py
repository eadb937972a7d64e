"""Laws of calls: who waits in a line is called when a place may be free, and not all the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from onthedot.core import keyed
from onthedot.core.gate import places, waits
from tests.simulation.journal import RUN_NAMED, SENDS, Journal
from tests.simulation.laws_words import disturbed
from tests.simulation.stage import Stage
from tests.simulation.standing import Standing


def spared(stage: Stage, journal: Journal, runs: Iterable[Standing]) -> Iterator[str]:
    """Where nothing goes wrong, a run in a line has as many calls at most as there are places.

    One more for whoever comes while it is on its way.
    """
    if disturbed(stage) or journal.limits:
        return
    calls = _calls(stage)
    for run in runs:
        limit = keyed.limit_of(run.task, {})
        most = places(run.task) + 1 if waits(run.task) else 0
        most += limit.most + 1 if limit and limit.most else 0
        if calls[run.run_id] > most:
            yield f"called in vain: {run.run_id}, {calls[run.run_id]} times; {most} will do"


def _calls(stage: Stage) -> Counter[str]:
    """How many messages called each run."""
    found: Counter[str] = Counter()
    for entry in stage.world.trace:
        if entry[2] in SENDS and isinstance(entry[4], dict):
            for one in entry[3].get("Entries", ()):
                if '"why":"wake"' in one["MessageBody"]:
                    found.update(RUN_NAMED.findall(one["MessageBody"]))
    return found
