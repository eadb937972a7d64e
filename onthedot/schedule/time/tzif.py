"""Reads a TZif file (RFC 8536) as segments of constant offset. Its footer is expanded to 2199."""

from __future__ import annotations

import re
import struct
from array import array
from dataclasses import dataclass
from functools import lru_cache

from onthedot.schedule.time.almanac import (
    COMMON,
    DAY_SEC,
    LEAP,
    SHAPE_COUNT,
    SHAPES,
    YEAR_DAYS,
    weekly,
)

_HEADER = struct.Struct(">4s1s15x6L")
_LEGACY_RECORD = 4
_NAME = r"([A-Za-z]{3,}|<[A-Za-z0-9+-]+>)"
_OFFSET = r"([+-]?\d{1,3}(?::\d\d(?::\d\d)?)?)"
_RULE = r"M(\d{1,2})\.(\d)\.(\d)(?:/([+-]?\d{1,3}(?::\d\d(?::\d\d)?)?))?"
_FOOTER = re.compile(f"{_NAME}{_OFFSET}(?:{_NAME}{_OFFSET}?,{_RULE},{_RULE})?")
_LAST_WEEK = 5
# Far before and after all wall times, but nearer than NEVER (walls.py), so that sums stay between.
BEGINNING = -(1 << 60)


@dataclass(frozen=True, slots=True)
class Segments:
    """From `starts[i]` (UTC) to the next start the clock is `offsets[i]` seconds ahead of UTC."""

    starts: array[int]
    offsets: array[int]
    names: tuple[str, ...]


def read(blob: bytes) -> Segments:
    """Reads the 64-bit part of the file and its footer."""
    legacy = _HEADER.unpack_from(blob)
    at = _HEADER.size + _body_size(legacy[2:], _LEGACY_RECORD)
    _, _, *counts = _HEADER.unpack_from(blob, at)
    _, _, _, transitions, types, letters = counts
    at += _HEADER.size
    times = struct.unpack_from(f">{transitions}q", blob, at)
    at += 8 * transitions
    kinds = blob[at : at + transitions]
    at += transitions
    records = [struct.unpack_from(">lBB", blob, at + 6 * k) for k in range(types)]
    at += 6 * types
    words = blob[at : at + letters]
    names = [words[record[2] :].split(b"\0", 1)[0].decode() for record in records]
    footer = blob[_footer_at(counts, at) :].strip(b"\n").decode()
    return _joined(
        [(BEGINNING, records[0][0], names[0])]
        + [(time, records[k][0], names[k]) for time, k in zip(times, kinds, strict=True)],
        [change for change in _changes(footer) if change[0] > (times[-1] if times else BEGINNING)],
    )


def _body_size(counts: tuple[int, ...], record: int) -> int:
    utc_marks, wall_marks, leaps, transitions, types, letters = counts
    return (
        transitions * (record + 1)
        + types * 6
        + letters
        + leaps * (record + 4)
        + wall_marks
        + utc_marks
    )


def _footer_at(counts: list[int], words_at: int) -> int:
    utc_marks, wall_marks, leaps, _, _, letters = counts
    return words_at + letters + leaps * 12 + wall_marks + utc_marks


def _joined(*parts: list[tuple[int, int, str]]) -> Segments:
    """Joins segments that differ in neither offset nor name, only in the DST flag."""
    starts, offsets = array("q"), array("l")
    names: list[str] = []
    for start, offset, name in (segment for part in parts for segment in part):
        if names and offsets[-1] == offset and names[-1] == name:
            continue
        starts.append(start)
        offsets.append(offset)
        names.append(name)
    return Segments(starts, offsets, tuple(names))


@lru_cache
def _changes(footer: str) -> list[tuple[int, int, str]]:
    """Returns every change by a footer's rule (EST5EDT,M3.2.0,M11.1.0), from 1970 to 2199."""
    match = _FOOTER.fullmatch(footer)
    if not match:
        message = f"unknown footer {footer!r}"
        raise ValueError(message)
    if not match[3]:
        return []
    standard = -_seconds(match[2])
    saving = -_seconds(match[4]) if match[4] else standard + 3600
    into = ((at - standard, saving, match[3].strip("<>")) for at in _yearly(match, 5))
    out_of = ((at - saving, standard, match[1].strip("<>")) for at in _yearly(match, 9))
    return sorted([*into, *out_of])


def _yearly(match: re.Match[str], group: int) -> list[int]:
    """Returns the wall second of a rule in each year. Only the year's shape decides its day."""
    month, week, weekday = (int(match[group + k]) for k in range(3))
    hour = _seconds(match[group + 3] or "2")
    days = [_day_of_year(shape, month, week, weekday) for shape in range(SHAPE_COUNT)]
    return [
        (start + days[shape]) * DAY_SEC + hour
        for start, shape in zip(YEAR_DAYS, SHAPES, strict=False)
    ]


def _day_of_year(shape: int, month: int, week: int, weekday: int) -> int:
    """Returns the day of the week-th such weekday of the month. Week 5 is the last."""
    months = LEAP if shape >= 7 else COMMON
    chosen = months.week[week if week == _LAST_WEEK else week - 1]
    return (chosen & months.month[month] & weekly(shape, 1 << weekday)).bit_length() - 1


def _seconds(text: str) -> int:
    hours, *rest = text.lstrip("+-").split(":")
    total = int(hours) * 3600
    total += sum(int(part) * unit for part, unit in zip(rest, (60, 1), strict=False))
    return -total if text.startswith("-") else total
