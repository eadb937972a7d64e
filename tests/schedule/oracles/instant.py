"""Brute force: the fires of a schedule, from what the wall clock shows at every tick of a window.

Rules 2 to 6 of semantics.md, read literally.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tests.schedule.oracles.fields import Reading
from tests.schedule.oracles.wall import HOUR, Jump, Window, wall_of

CORRECTION = 3 * HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a schedule behaves where the clock changes."""

    mode: str = "auto"
    gap: str = "fire"
    overlap: str = "first"

    def is_interval(self, reading: Reading) -> bool:
        """Tells whether the schedule follows the clock (interval) or names a time (fixed)."""
        return reading.interval if self.mode == "auto" else self.mode == "interval"


class _Match(NamedTuple):
    at: int
    wall: int


def fires(window: Window, reading: Reading, policy: Policy) -> list[int]:
    """Gives every fire of the window, except what a change just outside it would cause."""
    matches = _matches(window, reading)
    if policy.is_interval(reading):
        return [match.at for match in matches]
    chosen = _chosen_passes(matches, policy.overlap)
    for jump in window.jumps:
        if 0 < jump.by <= CORRECTION:
            chosen |= _made_up(jump, _missing_walls(window, reading, jump), policy.gap)
    return sorted(chosen)


@lru_cache(maxsize=4)
def _matches(window: Window, reading: Reading) -> tuple[_Match, ...]:
    """Lists the ticks whose wall clock satisfies the expression."""
    days = {day for day in window.days if reading.on(day)}
    return tuple(
        _Match(tick.at, tick.wall)
        for tick in window.ticks
        if tick.minute in reading.minutes
        and tick.second in reading.seconds
        and tick.hour in reading.hours
        and tick.day in days
    )


def _chosen_passes(matches: tuple[_Match, ...], overlap: str) -> set[int]:
    """Keeps one instant of each wall time that came twice within three hours, or both."""
    if overlap == "both":
        return {match.at for match in matches}
    by_wall = defaultdict[int, list[int]](list)
    for match in matches:
        by_wall[match.wall].append(match.at)
    chosen = {match.at for match in matches}
    for passes in by_wall.values():
        for earlier, later in pairwise(passes):
            if later - earlier <= CORRECTION:
                chosen.discard(later if overlap == "first" else earlier)
    return chosen


def _missing_walls(window: Window, reading: Reading, jump: Jump) -> list[int]:
    """Lists the wall times that the clock jumped over and the expression names."""
    jumped = range(jump.wall - jump.by, jump.wall, window.step)
    return [wall for wall in jumped if reading.matches(wall_of(wall))]


def _made_up(jump: Jump, missing: list[int], gap: str) -> set[int]:
    if gap == "fire":
        return {jump.at} if missing else set()
    if gap == "shift":
        return {wall - jump.before for wall in missing}
    return set()
