"""Laws of the minute's figures: what alarms look at follows from what became of the runs.

Judged where nothing befalls an audit: by the cursors that the store held, and by its own counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from onthedot.schedule.time.instants import nominal
from tests.simulation.laws.waiting.run_standings import Standing, everybody
from tests.simulation.machine.journal import Journal, pairs
from tests.simulation.stage import Stage

Figures = Mapping[str, float]
Told = Sequence[tuple[float, Figures]]
_COUNTED = ("succeeded", "dead", "missed", "leases_lost")
_EVERY_MIN, _NOT_FIRED_SEC = 5, 90
# What the acts between the question and the figures take.
_ACTS_SEC = 10
# When an audit has looked at what ended; and how far a run's own times may be off.
_NOTED_SEC, _CALLS_MS = 600, 300
_MEASURED = ("lag", "pickup", "duration")
# The promise, as docs say: of a thousand runs one may fail.
_MAY_FAIL = 0.001


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each of them."""
    told = [(at_ms / 1000, figures) for at_ms, figures in stage.figures if "audits" in figures]
    yield from _shares(told, alone=len({task.tenant_id for task in stage.tasks}) == 1)
    yield from _not_fired(stage, told)
    yield from _longest(stage, told)
    yield from _spread(told)
    yield from _durations(journal, told)
    yield from _completed(stage, journal, told)
    yield from _lags(stage, journal, told)


def _shares(told: Told, *, alone: bool) -> Iterator[str]:
    """Checks that the shares of the last five minutes, of the hour and of the day are those of
    the counts.
    """
    for at, figures in told:
        minute = at // 60
        lately = _summed(one for when, one in told if minute - 5 < when // 60 <= minute)
        hour = _summed(one for when, one in told if minute - 60 < when // 60 <= minute)
        day = _summed(one for when, one in told if when // 60 <= minute)
        wanted = {
            "dead_percent": _percent(lately["dead"], lately["succeeded"]),
            "failed_percent": _percent(hour["dead"], hour["succeeded"]),
        }
        wanted |= {"burn_hour": _burn(hour), "burn_day": _burn(day)} if alone else {}
        for name, value in wanted.items():
            if figures.get(name) != value:
                yield f"figures: {name} is {figures.get(name)} at {nominal(int(at))}, not {value}"
        if bool(figures.get("leases_lost_percent")) != bool(lately["leases_lost"]):
            yield f"figures: {lately['leases_lost']} leases were lost, and none of a hundred"


def _summed(some: Iterator[Figures]) -> Counter[str]:
    counts = Counter[str]()
    for figures in some:
        counts.update({name: int(figures.get(name, 0)) for name in _COUNTED})
    return counts


def _percent(part: int, rest: int) -> float:
    return round(100 * part / (part + rest), 3) if part else 0.0


def _burn(counts: Counter[str]) -> float:
    failed = counts["dead"] + counts["missed"]
    return round(failed / (failed + counts["succeeded"]) / _MAY_FAIL, 3) if failed else 0


def _not_fired(stage: Stage, told: Told) -> Iterator[str]:
    """Checks that every five minutes: how many cursors stood in the index half a minute after
    their time.
    """
    start = stage.world.start.timestamp()
    log = pairs(stage.world, "tasks")
    for at, figures in told:
        if at // 60 % _EVERY_MIN:
            if "not_fired" in figures:
                yield f"figures: asked what has not fired at {nominal(int(at))}"
            continue
        before = at - _ACTS_SEC - start
        standing: dict[Any, Any] = {}
        counts = set[int]()
        for at_us, key, _, after in log:
            if at_us / 1_000_000 > at:
                break
            standing[key] = after
            if at_us / 1_000_000 - start >= before:
                counts.add(_overdue(standing, at))
        counts |= {_overdue(standing, at - _ACTS_SEC), _overdue(standing, at)}
        if not min(counts) <= figures.get("not_fired", -1) <= max(counts):
            said = figures.get("not_fired")
            yield f"figures: {said} not fired at {nominal(int(at))}, it was {sorted(counts)}"


def _overdue(standing: Mapping[Any, Any], at: float) -> int:
    last = nominal(int(at) - _NOT_FIRED_SEC)
    return sum(
        item is not None and "due_shard" in item and item["next_run_at"]["S"] <= last
        for item in standing.values()
    )


def _longest(stage: Stage, told: Told) -> Iterator[str]:
    """How much of its timeout the longest run took, where all have the same."""
    timeouts = {task.timeout_sec for task in stage.tasks}
    for at, figures in told:
        longest_ms = figures.get("duration_max_ms")
        if longest_ms is None:
            continue
        used = figures.get("timeout_used_percent")
        if len(timeouts) == 1 and used != longest_ms // (10 * min(timeouts)):
            yield f"figures: {longest_ms} ms are {used} of a hundred at {nominal(int(at))}"


def _spread(told: Told) -> Iterator[str]:
    """Checks that what half of the runs do not exceed is no more than what nearly all do not, and
    so on.
    """
    for at, figures in told:
        for name in _MEASURED:
            values = [figures[each] for each in _named(name) if each in figures]
            owed = len(_named(name)) if values or _is_owed(name, figures) else 0
            if len(values) != owed or values != sorted(values):
                yield f"figures: {name} is {values} of {owed} at {nominal(int(at))}"


def _named(name: str) -> list[str]:
    return [f"{name}_{each}_ms" for each in ("p50", "p95", "p99", "max")]


def _is_owed(name: str, figures: Figures) -> bool:
    """Tells whether a run has ended that took some time."""
    return name == "duration" and figures.get("succeeded", 0) > 0


def _durations(journal: Journal, told: Told) -> Iterator[str]:
    """Checks that the longest that any minute tells of is the longest last attempt that there
    was.
    """
    begun: dict[str, float] = {}
    took: list[tuple[float, float]] = []
    for change in journal.changes:
        if change.started:
            begun[change.run_id] = change.at_ms
        elif change.after and change.after.final and change.run_id in begun:
            took.append((change.at_ms / 1000, change.at_ms - begun.pop(change.run_id)))
    last = max((at for at, _ in told), default=0.0) - _NOTED_SEC
    least = max((ms for at, ms in took if at < last), default=0.0) - _CALLS_MS
    most = max((ms for _, ms in took), default=0.0) + _CALLS_MS
    said = max((figures.get("duration_max_ms", 0) for _, figures in told), default=0)
    if not least <= said <= most:
        yield f"figures: the longest run took {said} ms, it was {least:.0f} to {most:.0f}"


def _lags(stage: Stage, journal: Journal, told: Told) -> Iterator[str]:
    """Checks that the latest first start is told, of those that did not have to wait."""
    rows = stage.rows()
    calls = {one.run_id: one.at_ms for one in stage.deliveries if one.attempt == 1}
    at_once = {one.run_id for one in everybody(stage, journal) if _is_at_once(one)}
    starts = [
        (
            change.at_ms - change.after.due_ms,
            # A call comes after its start, however long the worker stalls in between.
            max(change.at_ms, calls.get(change.run_id, 0)) - change.after.due_ms,
            rows[change.run_id].life,
        )
        for change in journal.changes
        if change.started and change.after and change.after.attempt == 1
        if change.run_id in at_once and rows[change.run_id].life.starts == 1
    ]
    noted = max((at for at, _ in told), default=0.0) - _NOTED_SEC
    ended = (lag for lag, _, life in starts if life.end and life.end.ended_ms < noted * 1000)
    owed_ms = max(ended, default=0.0)
    said = [figures["lag_max_ms"] for _, figures in told if "lag_max_ms" in figures]
    if max(said, default=0) < owed_ms - _CALLS_MS:
        yield f"figures: no start was told to be late by {owed_ms:.0f} ms"
    for lag_ms in said:
        if not any(one - _CALLS_MS < lag_ms < last + _CALLS_MS for one, last, _ in starts):
            yield f"figures: a start was told to be late by {lag_ms} ms, and none was"


def _is_at_once(run: Standing) -> bool:
    """Tells whether its first message led to its call."""
    return sum(at < run.called_ms for at in run.receipts) == 1


def _completed(stage: Stage, journal: Journal, told: Told) -> Iterator[str]:
    """Checks that as many are said to be completed as became so."""
    became = sum(
        one.task.status == "completed" and before.task.status != "completed"
        for versions in journal.versions.values()
        for before, one in pairwise(versions)
    )
    said = sum(int(figures.get("completed", 0)) for _, figures in told)
    if said != became:
        yield f"figures: {said} were completed, it was {became} of {len(stage.tasks)}"
