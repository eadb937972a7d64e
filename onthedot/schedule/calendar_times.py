"""Compiles named calendars: stretches of time without fires, given as dates or as a cron."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from onthedot.schedule.expression.cron import Every, parse
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.slots import Slots
from onthedot.schedule.time.almanac import DAY_SEC, YEAR_DAYS
from onthedot.schedule.time.zones import zone
from onthedot.schedule.walls import Walls

_EPOCH = date(1970, 1, 1)
_HORIZON_DAY = YEAR_DAYS[-1]
# The search ends after this many excluded slots in a row: the calendars leave nothing.
EXCLUDED_MAX = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A name, and the times that it excludes: whole days as instants, and the minutes of a cron."""

    name: str
    timezone: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    walls: Walls | None = field(default=None, compare=False)

    def block(self, instant: int) -> tuple[int, int] | None:
        """Returns the excluded range around an instant: its start and the instant after its end."""
        place = bisect_right(self.starts, instant) - 1
        if place >= 0 and instant < self.ends[place]:
            return self.starts[place], self.ends[place]
        return self._cron_block(instant) if self.walls else None

    def _cron_block(self, instant: int) -> tuple[int, int] | None:
        place = zone(self.timezone)
        at = place.segment_at(instant)
        starts, offset = place.segments.starts, place.segments.offsets[at]
        if not self.walls or not (run := self.walls.run(instant + offset)):
            return None
        # The result ends where the clock changes. The caller asks again from there.
        start = max(run[0] - offset, starts[at])
        end = run[1] - offset
        return start, min(end, starts[at + 1]) if at + 1 < len(starts) else end


class Outside:
    """The slots that no calendar excludes. The walk jumps over excluded ranges."""

    __slots__ = ("_calendars", "_slots")

    def __init__(self, slots: Slots, calendars: Sequence[Calendar]) -> None:
        """Takes the calendars' ranges out of other slots."""
        self._slots = slots
        self._calendars = calendars

    def next(self, after: int) -> int | None:
        """Returns the first slot strictly after an instant."""
        for _ in range(EXCLUDED_MAX):
            slot = self._slots.next(after)
            if slot is None or not (block := self._block(slot)):
                return slot
            after = block[1] - 1
        return None

    def prev(self, before: int) -> int | None:
        """Returns the last slot strictly before an instant."""
        for _ in range(EXCLUDED_MAX):
            slot = self._slots.prev(before)
            if slot is None or not (block := self._block(slot)):
                return slot
            before = block[0]
        return None

    def _block(self, slot: int) -> tuple[int, int] | None:
        for calendar in self._calendars:
            if block := calendar.block(slot):
                return block
        return None


def compile_calendar(
    name: str, *, timezone: str = "UTC", dates: Sequence[str] = (), cron: str | None = None
) -> Calendar:
    """Compiles days (2026-12-25) and ranges (2026-12-24/2027-01-02) in a zone, or a cron."""
    place = zone(timezone)
    ranges: list[list[int]] = []
    for first, last in sorted(map(_days, dates)):
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1][1] = max(last, ranges[-1][1])
        else:
            ranges.append([first, last])
    return Calendar(
        name=name,
        timezone=timezone,
        starts=tuple(place.instant_of(first * DAY_SEC) for first, _ in ranges),
        ends=tuple(place.instant_of((last + 1) * DAY_SEC) for _, last in ranges),
        walls=None if cron is None else _walls(cron),
    )


def _days(text: str) -> tuple[int, int]:
    first, _, last = text.partition("/")
    try:
        days = _day(first), _day(last or first)
    except ValueError:
        message = f"'{text}' is not a date: expected 2026-12-25 or 2026-12-24/2027-01-02."
        raise ScheduleError("bad_value", message, field="dates") from None
    if days[0] > days[1] or not 0 <= days[0] <= days[1] < _HORIZON_DAY:
        message = f"'{text}' is not a range: expected the earlier day first, from 1970 to 2199."
        raise ScheduleError("out_of_range", message, field="dates")
    return days


def _day(text: str) -> int:
    return (date.fromisoformat(text) - _EPOCH).days


def _walls(text: str) -> Walls:
    rule = parse(text)
    if isinstance(rule, Every) or rule.seconds != 1:
        message = f"'{text}' cannot exclude whole minutes: expected a cron of 5 fields."
        raise ScheduleError("unsupported", message, field="cron")
    walls = Walls(rule)
    if walls.run(0) == (0, _HORIZON_DAY * DAY_SEC):
        message = f"'{text}' excludes all time: nothing would ever fire."
        raise ScheduleError("never_fires", message, field="cron")
    return walls
