"""Finds the slots of a rule: the next after an instant, and the last before it."""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol

from onthedot.schedule.dst_stretches import ENDLESS, Stretches
from onthedot.schedule.time.almanac import DAY_SEC, YEAR_DAYS
from onthedot.schedule.walls import NEVER, Walls

# The seconds by which any two clocks in the world can differ, before and after a correction.
_APART_SEC = 2 * DAY_SEC
_HORIZON = YEAR_DAYS[-1] * DAY_SEC


class Slots(Protocol):
    """What answers for a rule. One can wrap another to add bounds or calendars."""

    def next(self, after: int) -> int | None:
        """Returns the first slot strictly after an instant."""

    def prev(self, before: int) -> int | None:
        """Returns the last slot strictly before an instant."""


class CronSlots:
    """A cron expression in a zone: it matches the wall clock, stretch by stretch."""

    __slots__ = ("_ends", "_offsets", "_seams", "_starts", "_walls")

    def __init__(self, walls: Walls, stretches: Stretches) -> None:
        """Keeps the arrays at hand, because `next` is called for every slot of every task."""
        self._walls = walls
        self._starts = stretches.starts
        self._ends = stretches.ends
        self._offsets = stretches.offsets
        self._seams = stretches.seams

    def next(self, after: int) -> int | None:
        """Returns the first slot strictly after an instant."""
        instant = after + 1
        place = bisect_right(self._starts, instant) - 1
        if self._seams[place] is None and instant < self._ends[place]:
            offset = self._offsets[place]
            slot = self._walls.next(instant + offset) - offset
            if slot < self._ends[place]:
                return slot
        return self._search_on(place, instant)

    def prev(self, before: int) -> int | None:
        """Returns the last slot strictly before an instant."""
        instant = before - 1
        place = bisect_right(self._starts, instant) - 1
        while place >= 0:
            slot = self._last_in(place, min(instant, self._ends[place] - 1))
            if slot >= self._starts[place]:
                return slot
            if slot < -NEVER + _APART_SEC and self._starts[place] < instant - _APART_SEC:
                return None
            place -= 1
            # No wall time matches after `slot`: stretches that lie wholly after it are skipped.
            if slot >= -NEVER + _APART_SEC:
                place = min(place, bisect_right(self._starts, slot + _APART_SEC) - 1)
        return None

    def _search_on(self, place: int, instant: int) -> int | None:
        while place < len(self._starts):
            begin = max(instant, self._starts[place])
            slot = self._first_in(place, begin) if begin < self._ends[place] else begin
            if begin <= slot < self._ends[place]:
                return slot
            place += 1
            if slot > NEVER - _APART_SEC:
                if begin > instant + _APART_SEC:
                    return None
            else:
                # No wall time matches before `slot`: stretches that lie wholly before it are
                # skipped.
                place = max(place, bisect_right(self._starts, slot - _APART_SEC) - 1)
        return None

    def _first_in(self, place: int, instant: int) -> int:
        offset = self._offsets[place]
        slot = self._walls.next(instant + offset) - offset
        if seam := self._seams[place]:
            if seam.shift:
                wall = self._walls.next(instant + seam.offset_before)
                if wall < seam.wall_to:
                    return min(slot, wall - seam.offset_before)
            elif instant == self._starts[place] and self._walls.next(seam.wall_from) < seam.wall_to:
                return instant
        return slot

    def _last_in(self, place: int, instant: int) -> int:
        offset = self._offsets[place]
        slot = self._walls.prev(instant + offset) - offset
        if seam := self._seams[place]:
            if seam.shift:
                wall = self._walls.prev(instant + seam.offset_before)
                if wall >= seam.wall_from:
                    return max(slot, wall - seam.offset_before)
            elif slot < self._starts[place] and self._walls.next(seam.wall_from) < seam.wall_to:
                return self._starts[place]
        return slot


class ElapsedSlots:
    """Elapsed time: every multiple of a number of seconds since the Unix epoch."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def next(self, after: int) -> int | None:
        """Returns the first slot strictly after an instant."""
        slot = (max(after, -1) // self._seconds + 1) * self._seconds
        return slot if slot < _HORIZON else None

    def prev(self, before: int) -> int | None:
        """Returns the last slot strictly before an instant."""
        slot = (min(before, _HORIZON) - 1) // self._seconds * self._seconds
        return slot if slot >= 0 else None


class Within:
    """The slots from a first to a last instant, both included."""

    __slots__ = ("_first", "_last", "_slots")

    def __init__(self, slots: Slots, first: int | None, last: int | None) -> None:
        """Puts the bounds around other slots."""
        self._slots = slots
        self._first = -ENDLESS if first is None else first
        self._last = ENDLESS if last is None else last

    def next(self, after: int) -> int | None:
        """Returns the first slot strictly after an instant."""
        slot = self._slots.next(max(after, self._first - 1))
        return slot if slot is not None and slot <= self._last else None

    def prev(self, before: int) -> int | None:
        """Returns the last slot strictly before an instant."""
        slot = self._slots.prev(min(before, self._last + 1))
        return slot if slot is not None and slot >= self._first else None
