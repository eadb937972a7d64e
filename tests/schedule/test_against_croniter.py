"""Away from DST the engine agrees with croniter 6.2.4, except where the rules say otherwise.

`python -m pytest -rP` on this file shows how many pairs differed in each known class.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from croniter import CroniterBadDateError, croniter

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule
from tests.schedule.oracles.croniter_known import known_classes
from tests.schedule.oracles.expressions import five_fields, seven_fields, six_fields
from tests.schedule.oracles.fields import matching_walls, read
from tests.schedule.oracles.wall import EPOCH, instant, wall_of

pytestmark = pytest.mark.deep

SEED = 624
CHUNKS = 8
FIVE_FIELDS_PER_CHUNK = 1563  # times CHUNKS and MOMENTS_EACH: 50,000 pairs
MORE_FIELDS_PER_CHUNK = 200
MOMENTS_EACH = 4
PREV_EVERY = 5
MOMENTS = (instant("2020-01-01"), instant("2060-01-01"))
HALF_A_CENTURY_SEC = 49 * 366 * 86400


class Pair:
    """One expression, and what both engines make of it; None is an expression without fires."""

    def __init__(self, cron: str) -> None:
        self.cron = cron
        self.known = known_classes(_in_croniter_order(cron))
        self.ours = _ours(cron)
        self.theirs = None if "seven" in self.known else _theirs(cron)

    def classes(self, moment: int, way: str) -> list[str]:
        """Gives `same`, the known classes of a difference, or one line that begins with `WRONG`."""
        ours = getattr(self.ours, way)(moment) if self.ours else None
        theirs = self._asked_theirs(moment, way)
        if ours == theirs:
            return ["same"]
        known = list(self.known)
        if theirs is None and (ours is None or abs(ours - moment) > HALF_A_CENTURY_SEC):
            known.append("over 50 years")
        if not known or not self._is_right(moment, way, ours):
            return [f"WRONG {self.cron!r} {way}({moment}): ours {ours}, theirs {theirs}, {known}"]
        return known

    def _asked_theirs(self, moment: int, way: str) -> int | None:
        if self.theirs is None:
            return None
        try:
            found = getattr(self.theirs, f"get_{way}")(start_time=moment)
        except CroniterBadDateError:
            return None
        return int(found) if found >= 0 else None

    def _is_right(self, moment: int, way: str, ours: int | None) -> bool:
        """Asks the naive reader, which is slower than both and agrees with the rules."""
        reading = read(self.cron)
        if way == "next":
            return ours == _first_after(self.cron, moment)
        if ours is None:
            first = _first_after(self.cron, -1)
            return first is None or first >= moment
        if ours < 0:
            return False
        following = _first_after(self.cron, ours)
        return reading.matches(wall_of(ours)) and (following is None or following >= moment)


EXAMPLES = {
    "B1": "0 9-9 * * *",
    "B2": "59/15 * * * *",
    "B3": "0 0 */2 * 1",
    "B4": "0 0 31 4 1",
    "B5": "0 0 13 * fri#2",
    "B6": "0 0 15W * 1",
    "B7": "0 22-4/3 * * *",
    "listed": "0 0 10,*/7 * 0-6",
    "seven": "0 0 0 * * 7",
    "over 50 years": "0 0 0 1 1 * 2095",
}


@pytest.mark.parametrize(("name", "cron"), EXAMPLES.items())
def test_a_known_class_is_a_real_difference(name: str, cron: str) -> None:
    pair = Pair(cron)
    seen = [pair.classes(MOMENTS[0] + days * 86400, "next") for days in range(30)]

    assert [name] in seen
    assert all(classes in ([name], ["same"]) for classes in seen)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_fifty_thousand_random_pairs_of_five_fields_agree_with_croniter(chunk: int) -> None:
    dice = Random(f"{SEED}:{chunk}")
    counts = _compare(dice, five_fields, FIVE_FIELDS_PER_CHUNK)

    assert not _wrong(counts), _wrong(counts)[:5]


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("make", [six_fields, seven_fields])
def test_random_pairs_of_six_and_seven_fields_agree_with_croniter(
    chunk: int, make: Callable[[Random], str]
) -> None:
    dice = Random(f"{SEED}:{make.__name__}:{chunk}")
    counts = _compare(dice, make, MORE_FIELDS_PER_CHUNK)

    assert not _wrong(counts), _wrong(counts)[:5]


def _compare(dice: Random, make: Callable[[Random], str], expressions: int) -> Counter[str]:
    counts = Counter[str]()
    for number in range(expressions):
        pair = Pair(make(dice))
        for _ in range(MOMENTS_EACH):
            counts.update(pair.classes(dice.randrange(*MOMENTS), "next"))
        if number % PREV_EVERY == 0:
            counts.update(pair.classes(dice.randrange(*MOMENTS), "prev"))
    known = {name: counts[name] for name in sorted(counts) if not name.startswith("WRONG")}
    sys.stdout.write(f"{make.__name__}: {known}\n")
    return counts


def _wrong(counts: Counter[str]) -> list[str]:
    return [name for name in counts if name.startswith("WRONG")]


def _ours(cron: str) -> Schedule | None:
    try:
        return compile_schedule(cron, timezone="UTC")
    except ScheduleError as error:
        if error.code != "never_fires":
            raise
        return None


def _theirs(cron: str) -> croniter:
    return croniter(cron, MOMENTS[0], ret_type=float, second_at_beginning=True)


def _in_croniter_order(cron: str) -> list[str]:
    """Puts the seconds, first in our six fields, where croniter has them: after the weekday."""
    fields = cron.split()
    return fields if len(fields) == 5 else [*fields[1:6], fields[0], *fields[6:]]


def _first_after(cron: str, moment: int) -> int | None:
    wall = next(matching_walls(read(cron), wall_of(moment)), None)
    return None if wall is None else int((wall - EPOCH).total_seconds())
