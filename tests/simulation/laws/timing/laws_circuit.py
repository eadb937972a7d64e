"""Laws of the backlog's circuit: when it opens and closes, what a tick takes on, what is lost.

Judged by what the index told each tick was due, where ticks come one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from onthedot.dispatch.tick import Tick
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage

# The circuit opens, or closes, after this many ticks in a row.
_TREND = 5
_LOST = frozenset({"outside_grace", "circuit_open"})


@dataclass(slots=True)
class _Seen:
    """What one tick saw and did, and how the circuit stood for it."""

    at_ms: float
    said: int
    overdue: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    lost: list[Change] = field(default_factory=list)
    hurt: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class Circuit:
    """What a tick takes on in full; while the circuit is open it is a tenth."""

    budget: int
    # Whether the backlog grows, beyond the budget, for long enough in every such history.
    opens: bool = True

    def obeyed(self, stage: Stage, journal: Journal) -> Iterator[str]:
        """Checks all of them."""
        ticks = _read(stage, journal)
        _let_open(ticks, self.budget)
        if self.opens and (ticks[-1].open or not any(tick.open for tick in ticks)):
            yield "no circuit: it has not opened and closed"
        # A tick opens it for the next one.
        opened_ms = [before.at_ms for before, tick in pairwise(ticks) if tick.open]
        for tick in ticks:
            if tick.said != tick.open:
                yield f"circuit: a tick at {tick.at_ms:.0f} says {tick.said}, not {tick.open:d}"
            most = self.budget // 10 if tick.open else self.budget
            least = 0 if tick.hurt else min(most, len(tick.overdue))
            if not least <= len(tick.taken) <= most:
                yield f"circuit: {len(tick.taken)} of {len(tick.overdue)} taken on, {most} may be"
            yield from _of_lost(tick, journal, opened_ms)


def _read(stage: Stage, journal: Journal) -> list[_Seen]:
    """Returns each tick that came to its end, in order."""
    ended = {
        process.name: process.result
        for process in stage.world.processes
        if process.kind == "dispatch" and isinstance(process.result, Tick)
    }
    began_ms = stage.world.epoch_us() / 1000 - stage.world.now_us / 1000
    ticks: dict[str, _Seen] = {}
    for at_us, process, _, request, answer, fault in stage.world.trace:
        tick = ended.get(process.name) if process is not None else None
        if process is None or tick is None:
            continue
        at_ms = began_ms + at_us / 1000
        seen = ticks.setdefault(process.name, _Seen(at_ms, tick.counts["circuit_open"]))
        seen.hurt |= bool(fault) or "Throttling" in str(answer)
        if request.get("IndexName") == "due" and isinstance(answer, dict):
            for item in answer["Items"]:
                if parse_nominal(item["next_run_at"]["S"]) < seen.at_ms // 1000 - LATE_SEC:
                    seen.overdue.add(item["task_id"]["S"])
    for change in journal.changes:
        seen_by = ticks.get(change.writer.name) if change.writer else None
        if seen_by is None or change.after is None:
            continue
        if change.task_id in seen_by.overdue:
            seen_by.taken.add(change.task_id)
        if change.after.status == "missed" and change.after.reason in _LOST:
            seen_by.lost.append(change)
    return list(ticks.values())


def _let_open(ticks: Sequence[_Seen], budget: int) -> None:
    """Opens it for the ticks behind five that grew beyond the budget, until five shrank."""
    is_open = False
    for place, tick in enumerate(ticks):
        tick.open = is_open
        last = [len(each.overdue) for each in ticks[max(0, place - _TREND) : place + 1]]
        steps = list(pairwise(last)) if len(last) > _TREND else [(0, 0)]
        if all(before < after for before, after in steps) and last[-1] > budget:
            is_open = True
        if all(before > after for before, after in steps) or not last[-1]:
            is_open = False


def _of_lost(tick: _Seen, journal: Journal, opened_ms: Sequence[float]) -> Iterator[str]:
    """Checks that what was lost while it was open says so, and nothing that was lost before it
    opened.
    """
    for change in tick.lost:
        assert change.after is not None
        slot = change.after.range_to or change.key
        grace_sec = journal.versions[change.task_id][-1].task.misfire_grace_sec
        lost_ms = (parse_nominal(slot) + max(LATE_SEC, grace_sec)) * 1000
        reason = change.after.reason
        if tick.open and opened_ms[0] <= lost_ms and reason != "circuit_open":
            yield f"circuit: {change.run_id} was lost while it was open, and says {reason}"
        opened = bool(opened_ms) and opened_ms[0] <= tick.at_ms
        if not opened and reason != "outside_grace":
            yield f"circuit: {change.run_id} says {reason}, and it had not opened"
