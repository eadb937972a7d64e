"""Laws of calls: who waits in a line is called when a place is free, or is to be in a moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from tests.simulation.laws.running.laws_words import disturbed
from tests.simulation.laws.timing.true_bounds import limit_of, places, waits
from tests.simulation.laws.waiting.run_standings import Standing
from tests.simulation.machine.journal import RUN_NAMED, SENDS, Held, Journal
from tests.simulation.stage import Stage

# Who is called for a place that is given up is called before that.
_BEFORE_MS, _AFTER_MS = 500.0, 500.0
# The time between the look at a line and the call.
_OVER_MS = 1_000.0


def spared(stage: Stage, journal: Journal, runs: Iterable[Standing]) -> Iterator[str]:
    """Where nothing goes wrong, no run is called while all places of its lines are taken.

    And no run is called that is over: the next run gets its turn.
    """
    if disturbed(stage):
        return
    waiting = {run.run_id: run for run in runs}
    for at_ms, run_id in _calls(stage):
        run = waiting.get(run_id)
        if run is None:
            continue
        if run.over_ms < at_ms - _OVER_MS:
            yield f"called in vain: {run_id}, which was over"
        if journal.limits:
            continue
        limit = limit_of(run.task)
        lines: list[tuple[Sequence[Held], int]] = []
        if waits(run.task):
            lines.append((journal.gates[run.task.task_id], places(run.task)))
        if limit and limit.most:
            lines.append((journal.gates[limit.place], limit.most))
        if lines and not any(_is_free(gates, most, at_ms) for gates, most in lines):
            yield f"called in vain: {run_id}, and no place was free"


def left_in_line(stage: Stage, journal: Journal, runs: Iterable[Standing]) -> Iterator[str]:
    """Checks that a run in a key's line has no message that comes back: the run is called.

    Not judged: a line that may be full, a key with a rate, a quota, a task that was edited.
    """
    if journal.limits or stage.sizes.line_max:
        return
    waiting = {run.run_id: run for run in runs if len(journal.versions[run.task.task_id]) == 1}
    for at_ms, run_id in _calls(stage, "hop"):
        run = waiting.get(run_id)
        limit = limit_of(run.task) if run is not None else None
        if run is None or limit is None or not limit.most or limit.count:
            continue
        if run.due_ms < at_ms < run.got_ms:
            yield f"sent on: {run_id}, though it has a place in its key's line"


def _is_free(gates: Sequence[Held], most: int, at_ms: float) -> bool:
    """Tells whether fewer held it at any moment about then, or others: one may follow at once."""
    first = bisect_right(gates, at_ms - _BEFORE_MS, key=lambda held: held.at_ms)
    last = bisect_right(gates, at_ms + _AFTER_MS, key=lambda held: held.at_ms)
    about = gates[max(0, first - 1) : last]
    return len({held.holders for held in about}) != 1 or len(about[0].holders) < most


def _calls(stage: Stage, why: str = "wake") -> Iterator[tuple[float, str]]:
    """Yields when SQS took each message that is sent for this reason, and for which run."""
    start_ms = stage.world.start.timestamp() * 1000
    for entry in stage.world.trace:
        if entry[2] in SENDS and isinstance(entry[4], dict):
            for one in entry[3].get("Entries", ()):
                if f'"why":"{why}"' in one["MessageBody"]:
                    for run_id in RUN_NAMED.findall(one["MessageBody"]):
                        yield start_ms + entry[0] / 1000, run_id
