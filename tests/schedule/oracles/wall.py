"""What the clocks on the wall of a zone show, tick by tick, from the tzdata wheel alone.

`zoneinfo` reads the wheel's own files here: neither the machine's data nor global state matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a wall clock has no zone
MINUTE = 60
HOUR = 3600
DAY = 86400


class Tick(NamedTuple):
    """One instant, and what the wall clock shows at it (`wall` as if it were UTC seconds)."""

    at: int
    wall: int
    day: date
    hour: int
    minute: int
    second: int


class Jump(NamedTuple):
    """A tick at which the wall clock moved by `by` seconds, from the offset `before`."""

    at: int
    wall: int
    by: int
    before: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window:
    """Every tick of a stretch of time in one zone."""

    zone: str
    step: int
    ticks: tuple[Tick, ...]
    days: frozenset[date]
    jumps: tuple[Jump, ...]


@lru_cache(maxsize=1024)
def pinned_zone(name: str) -> ZoneInfo:
    """Loads a zone from the wheel."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def offset_at(name: str, at: int) -> int:
    """Gives a zone's offset from UTC at an instant, in seconds."""
    offset = datetime.fromtimestamp(at, pinned_zone(name)).utcoffset()
    return 0 if offset is None else offset // timedelta(seconds=1)


def wall_of(wall: int) -> datetime:
    """Gives the wall clock's reading as a naive datetime."""
    return EPOCH + timedelta(seconds=wall)


def instant(text: str) -> int:
    """Gives the epoch second of an ISO time in UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@lru_cache(maxsize=64)
def window(name: str, first: int, last: int, step: int = MINUTE) -> Window:
    """Looks at a zone's wall clock at every step of [first, last)."""
    place = pinned_zone(name)
    ticks = tuple(_tick(at, datetime.fromtimestamp(at, place)) for at in range(first, last, step))
    jumps = tuple(
        Jump(at=after.at, wall=after.wall, by=by, before=before.wall - before.at)
        for before, after in pairwise(ticks)
        if (by := after.wall - before.wall - step)
    )
    days = frozenset(tick.day for tick in ticks)
    return Window(zone=name, step=step, ticks=ticks, days=days, jumps=jumps)


@lru_cache(maxsize=1024)
def changes(name: str, first: int, last: int) -> tuple[int, ...]:
    """Finds the instants of [first, last) at which a zone's offset changes."""
    looks = [(at, offset_at(name, at)) for at in (*range(first, last, DAY), last)]
    return tuple(
        _change(name, early, late)
        for (early, before), (late, after) in pairwise(looks)
        if before != after
    )


def _change(name: str, early: int, late: int) -> int:
    before = offset_at(name, early)
    while late - early > 1:
        middle = (early + late) // 2
        if offset_at(name, middle) == before:
            early = middle
        else:
            late = middle
    return late


def _tick(at: int, seen: datetime) -> Tick:
    wall = (seen.replace(tzinfo=None) - EPOCH) // timedelta(seconds=1)
    return Tick(at, wall, seen.date(), seen.hour, seen.minute, seen.second)
