"""Measures the next fire: ours against croniter's, and the slowest case that can be found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import product
from random import Random
from zoneinfo import ZoneInfo

from croniter import croniter

from bench.measure import Line, at_least, at_most, best_sec, told
from bench.schedules import DENSE, FIRST, LAST, REALISTIC, SPARSE, T0, ZONES, moments
from onthedot.schedule.schedule import Schedule, compile_schedule, pack, unpack
from onthedot.schedule.time.zones import zone
from onthedot.schedule.walls import walls_of

RATIO_MIN = 20
SLOWEST_MAX_US = 50
FIRES = 100
RUNS_OF_OURS = 10
AGAIN_US = 10
DRAWN = 12
TIMES_AGAIN = 7
POLICIES = (
    {"dst_mode": "interval"},
    {"dst_mode": "fixed"},
    {"dst_mode": "fixed", "dst_gap": "skip", "dst_overlap": "last"},
    {"dst_mode": "fixed", "dst_gap": "shift", "dst_overlap": "both"},
)


def lines() -> Iterator[Line]:
    """Compares, then looks for the slowest."""
    for name, label in (
        ("UTC", "UTC"),
        ("America/New_York", "New_York"),
        ("Europe/London", "London"),
    ):
        yield from _amortised(name, label)
    yield from _stateless("America/New_York")
    yield _slowest()
    yield _slowest_first()


def _amortised(name: str, label: str) -> Iterator[Line]:
    ratios, ours_sec, theirs_sec = [], 0.0, 0.0
    for text in REALISTIC:
        schedule = compile_schedule(text, timezone=name)
        ours = best_sec(partial(_walk, schedule, RUNS_OF_OURS)) / RUNS_OF_OURS
        theirs = best_sec(partial(_walk_theirs, text, name))
        ours_sec, theirs_sec = ours_sec + ours, theirs_sec + theirs
        ratios.append((theirs / ours, text))
    smallest, text = min(ratios)
    each_us = ours_sec / len(REALISTIC) / FIRES * 1e6
    what = f"next fire, amortised, {label}: {each_us:.2f} µs; croniter takes"
    yield at_least(what, theirs_sec / ours_sec, RATIO_MIN, "times")
    yield told(f"  the smallest of {len(REALISTIC)}, {text!r}", smallest, "times")


def _walk(schedule: Schedule, runs: int) -> None:
    for _ in range(runs):
        slot: int | None = T0
        for _ in range(FIRES):
            slot = schedule.next(slot) if slot is not None else None


def _walk_theirs(text: str, name: str) -> None:
    walk = _theirs(text, datetime.fromtimestamp(T0, UTC if name == "UTC" else ZoneInfo(name)))
    for _ in range(FIRES):
        walk.get_next(float)


def _theirs(text: str, start: datetime) -> croniter:
    return croniter(text, start, ret_type=float, second_at_beginning=True)


def _stateless(name: str) -> Iterator[Line]:
    asked = moments(40, name)
    place = ZoneInfo(name)
    starts = [datetime.fromtimestamp(moment, place) for moment in asked]
    schedules = [compile_schedule(text, timezone=name) for text in REALISTIC]
    ours = best_sec(lambda: [each.next(moment) for each in schedules for moment in asked])
    theirs = best_sec(
        lambda: [_theirs(text, start).get_next() for text in REALISTIC for start in starts]
    )
    what = f"next fire from any instant: {ours / len(asked) / len(REALISTIC) * 1e6:.2f} µs; "
    yield told(f"{what}croniter(text, t).get_next() takes", theirs / ours, "times")


def _slowest() -> Line:
    """Sweeps over everything that could be slow. Slow candidates are measured again."""
    worst, count = (0.0, ""), 0
    for text, name, policy in product((*REALISTIC, *SPARSE, *DENSE), ZONES, POLICIES):
        schedule = compile_schedule(text, timezone=name, **policy)  # type: ignore[arg-type] # words
        for moment in _awkward(name):
            for ask, way in ((schedule.next, "next"), (schedule.prev, "prev")):
                count += 1
                if (taken := _us(ask, moment)) > AGAIN_US:
                    taken = min(_us(ask, moment) for _ in range(TIMES_AGAIN))
                worst = max(worst, (taken, f"{text!r} {name} {way}({moment})"))
    what = f"slowest of {count:,} calls: {worst[1]}"
    return at_most(what, worst[0], SLOWEST_MAX_US, "µs")


def _slowest_first() -> Line:
    """Measures the first call of a schedule read from the table, with no day computed yet."""
    worst = (0.0, "")
    for text in (*REALISTIC, *SPARSE, *DENSE):
        packed = pack(compile_schedule(text, timezone="America/New_York"))
        for moment in (T0, LAST):
            taken = min(_first_us(packed, moment) for _ in range(TIMES_AGAIN))
            worst = max(worst, (taken, f"{text!r} next({moment})"))
    return at_most(f"slowest first call: {worst[1]}", worst[0], SLOWEST_MAX_US, "µs")


def _first_us(packed: bytes, moment: int) -> float:
    walls_of.cache_clear()
    return _us(unpack(packed).next, moment)


def _us(ask: Callable[[int], object], moment: int) -> float:
    started = time.process_time_ns()
    ask(moment)
    return (time.process_time_ns() - started) / 1000


def _awkward(name: str) -> list[int]:
    """Returns instants around clock changes, at the ends of time, and anywhere."""
    dice = Random(name)  # noqa: S311 the same instants every time
    starts = [at for at in zone(name).segments.starts if FIRST < at < LAST]
    changes = dice.sample(starts, min(DRAWN, len(starts)))
    around = [at + by for at in changes for by in (-3601, -1, 0, 1799)]
    return [*around, *(dice.randrange(FIRST, LAST) for _ in range(DRAWN)), 0, FIRST, LAST]
