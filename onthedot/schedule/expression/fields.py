"""Reads one field of a cron expression into runs of numbers and marks (L, W, #).

It resolves what croniter reads differently from cron: a-a, a/n, wrapped ranges, W in lists, H.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from onthedot.schedule.expression import field_errors
from onthedot.schedule.expression.dialect import AWS_WEEKDAY, DAY, WEEKDAYS, YEAR, Kind
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.expression.stable_hash import spread


def spelled(kind: Kind, runs: list[range]) -> str:
    """Writes the runs as a list. A field that has only marks gives an empty text."""
    if any(len(run) == kind.size for run in runs):
        return "*"
    return ",".join([_spell(kind, run) for run in runs])


def _spell(kind: Kind, run: range) -> str:
    first, last = run[0], run[-1]
    if kind.names is WEEKDAYS:
        return ",".join(str((day - kind.low) % kind.size) for day in run)
    if last > kind.high:
        wrapped = next(place for place, value in enumerate(run) if value > kind.high)
        folded = range(kind.folded(run[wrapped]), kind.folded(last) + 1, run.step)
        return ",".join(_spell(kind, part) for part in (run[:wrapped], folded))
    if first == last:
        return str(first)
    return f"{first}-{last}/{run.step}" if run.step > 1 else f"{first}-{last}"


NTH_LAST = 5
# Matches any case, so that an error can show the letters as they were written.
_ANY_CASE = re.IGNORECASE | re.ASCII
_PLAIN = re.compile(r"([0-9]+|[A-Z]+|\*)(?:-([0-9]+|[A-Z]+))?(?:/([0-9]+))?", _ANY_CASE)
_HASHED = re.compile(r"H(?:\(([0-9]+)-([0-9]+)\))?(?:/([0-9]+))?", _ANY_CASE)
_NEAREST = re.compile(r"([0-9]+)W", _ANY_CASE)
_NTH = re.compile(r"([0-9]+|[A-Z]{3})(?:-([0-9]+|[A-Z]{3}))?#([0-9]+)", _ANY_CASE)
_LAST_WEEKDAY = re.compile(r"([0-9]|[A-Z]{3})L|L([0-9])", _ANY_CASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What one field says. A run may count past the end of the field and wraps there."""

    kind: Kind
    runs: tuple[range, ...] = ()
    # The runs in plain numbers, for croniter.
    spelled: str = ""
    starred: bool = False
    # Bit 0 in `marked_days` is L. `nearest` has the days of nW, and 31 for LW: the weekday nearest
    # to a 31st that a month lacks is the one nearest to its last day.
    marked_days: int = 0
    nearest: int = 0
    nth: int = 0


# A field of 250 characters takes 5 kB, so 2,048 of them take 10 MB.
@lru_cache(2048)
def read_field(kind: Kind, text: str, seed: str = "") -> Field:
    """Reads one field. Positions in errors count from its first character."""
    if text == "*" or (text == "?" and kind.name in ("day_of_month", "day_of_week")):
        whole = range(kind.low, kind.high + 1)
        return Field(kind=kind, runs=(whole,), spelled="*", starred=True)
    items, at = [], 0
    for written in text.split(","):
        try:
            items.append(_read_item(kind, written, seed))
        except ScheduleError as mistake:
            raise mistake.within(text, at, len(written), kind.name) from None
        at += len(written) + 1
    nth = nearest = marked_days = 0
    for item in items:
        nth |= item.nth
        nearest |= item.nearest
        marked_days |= item.marked_days
    runs = [run for item in items for run in item.runs]
    return Field(
        kind=kind,
        runs=tuple(runs),
        spelled=spelled(kind, runs),
        starred=text.startswith("*"),
        marked_days=marked_days,
        nearest=nearest,
        nth=nth,
    )


def _read_item(kind: Kind, item: str, seed: str) -> Field:
    # Plain names and numbers go first: FRIL and H look like names.
    plain = _PLAIN.fullmatch(item)
    if plain and (plain[1].upper() in kind.names or not plain[1].isalpha()):
        return Field(kind=kind, runs=(_plain_run(kind, plain),))
    if mark := _read_mark(kind, item):
        return mark
    if (hashed := _HASHED.fullmatch(item)) and kind is not YEAR:
        return Field(kind=kind, runs=(_hashed_run(kind, hashed, seed),))
    if plain:
        raise field_errors.unknown_name(kind, plain, 1)
    raise field_errors.unreadable(kind, item)


def _read_mark(kind: Kind, item: str) -> Field | None:
    if kind is DAY:
        return _read_day_mark(item)
    return _read_weekday_mark(kind, item) if kind.names is WEEKDAYS else None


def _read_day_mark(item: str) -> Field | None:
    if item.upper() == "L":
        return Field(kind=DAY, marked_days=1)
    if item.upper() == "LW":
        return Field(kind=DAY, nearest=1 << DAY.high)
    match = _NEAREST.fullmatch(item)
    return Field(kind=DAY, nearest=1 << number(DAY, match, 1)) if match else None


def _read_weekday_mark(kind: Kind, item: str) -> Field | None:
    if item.upper() == "L" and kind is AWS_WEEKDAY:
        return Field(kind=kind, runs=(range(kind.high, kind.high + 1),))
    if match := _LAST_WEEKDAY.fullmatch(item):
        day = number(kind, match, match.lastindex or 1)
        return Field(kind=kind, nth=_nth_bit(kind, day, NTH_LAST))
    match = _NTH.fullmatch(item)
    return Field(kind=kind, nth=_nth_bits(kind, match)) if match else None


def _nth_bits(kind: Kind, match: re.Match[str]) -> int:
    first = number(kind, match, 1)
    last = number(kind, match, 2) if match[2] else first
    which = int(match[3])
    if not 1 <= which <= NTH_LAST:
        raise field_errors.which_week(match)
    return sum(_nth_bit(kind, day, which - 1) for day in _run(kind, first, last, 1))


def _nth_bit(kind: Kind, day: int, which: int) -> int:
    """Returns the bit of the n-th weekday. Each has six: its first to fifth, and its last."""
    return 1 << (weekday_of(kind, day) * 6 + which)


def weekday_of(kind: Kind, day: int) -> int:
    """Returns the weekday counted from 0 = Sunday, in any kind of field."""
    return (day - kind.low) % kind.size


def _plain_run(kind: Kind, match: re.Match[str]) -> range:
    step = _step(match, 3)
    if match[1] == "*":
        if match[2]:
            raise field_errors.unreadable(kind, match[0])
        return range(kind.low, kind.high + 1, step)
    first = number(kind, match, 1)
    if match[2]:
        return _run(kind, first, number(kind, match, 2), step)
    if match[3]:
        return range(kind.folded(first), kind.high + 1, step)
    return range(first, first + 1)


def _run(kind: Kind, first: int, last: int, step: int) -> range:
    if first == last:
        return range(first, first + 1)
    first = kind.folded(first)
    if last < first:
        last += kind.size
    return range(first, last + 1, step)


def _hashed_run(kind: Kind, match: re.Match[str], seed: str) -> range:
    low, high = kind.low, kind.high
    if match[1]:
        low, high = number(kind, match, 1), number(kind, match, 2)
        if low > high:
            raise field_errors.backward_hash(match)
    size = high - low + 1
    if not match[3]:
        start = low + spread(seed, kind.name, size)
        return range(start, start + 1)
    step = _step(match, 3)
    return range(low + spread(seed, kind.name, min(step, size)), high + 1, step)


def number(kind: Kind, match: re.Match[str], group: int) -> int:
    """Reads a number or a name of this kind. A number out of bounds is refused."""
    token = match[group]
    if not token.isdigit():
        if token.upper() not in kind.names:
            raise field_errors.unknown_name(kind, match, group)
        return kind.names.index(token.upper()) + kind.low
    value = int(token)
    if not kind.low <= value <= kind.top:
        raise field_errors.out_of_range(kind, match, group)
    return value


def _step(match: re.Match[str], group: int) -> int:
    if not match[group]:
        return 1
    if not (step := int(match[group])):
        raise field_errors.step_of_zero(match, group)
    return step
