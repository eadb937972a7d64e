"""Compiles a cron expression to bit masks. They are stored, and they alone decide when it fires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from croniter import croniter

from onthedot.schedule.expression import dialect
from onthedot.schedule.expression.dialect import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    SECOND,
    WEEKDAY,
    YEAR,
    YEAR_MIN,
    Kind,
)
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.expression.fields import Field, read_field

# The order in which croniter expects its fields.
_ORDER = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND)
_KNOWN_MAX = 8192
memo: dict[tuple[Kind, str], int] = {}


def masks(fields: tuple[Field, ...]) -> tuple[int, ...]:
    """Reads fields in croniter's order. Fields that were read before come from a cache."""
    keys = [(kind, field.spelled) for kind, field in zip(_ORDER, fields, strict=False)]
    known = [memo[key] for key in keys if key in memo]
    if len(known) == len(keys):
        return tuple(known)
    expanded = croniter.expand(" ".join(text or "*" for _, text in keys))[0]
    read = [
        _mask(kind, values) if text else 0
        for (kind, text), values in zip(keys, expanded, strict=True)
    ]
    if len(memo) > _KNOWN_MAX:
        memo.clear()
    memo.update(zip(keys, read, strict=True))
    return tuple(read)


def _mask(kind: Kind, values: Sequence[int | str]) -> int:
    if values == ["*"]:
        return kind.full
    return sum(1 << int(value) for value in values)


EVERY_YEAR = YEAR.full >> YEAR_MIN
_AT_ZERO = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """Masks over wall-clock time. Bit n stands for the value n.

    In `days` bit 0 stands for L, the last day. `nearest` has the days of nW. `nth` has six bits for
    each weekday (first to fifth, last). `years` counts from 1970.
    """

    seconds: int = _AT_ZERO
    minutes: int
    hours: int
    days: int
    nearest: int = 0
    months: int
    weekdays: int
    nth: int = 0
    years: int = EVERY_YEAR
    # Both day fields must match (AND) if one of them begins with a star. Else one suffices (OR).
    both_days: bool
    # The minute or the hour begins with a star: through a change of the clock it fires by elapsed
    # time.
    starred: bool


@dataclass(frozen=True, slots=True)
class Every:
    """Elapsed time, counted from the Unix epoch."""

    seconds: int


def parse(text: str, *, seconds: str = "first", seed: str = "") -> Cron | Every:
    """Compiles an expression of any dialect. `seed`, the task's id, places H."""
    placed = dialect.split(text, seconds)
    if isinstance(placed, int):
        return Every(placed)
    by_name: dict[str, Field] = {}
    for part in placed:
        try:
            by_name[part.kind.name] = read_field(
                part.kind, part.text, seed if "H" in part.text.upper() else ""
            )
        except ScheduleError as mistake:
            raise mistake.within(text, part.at, len(part.text), part.kind.name) from None
    return _compile(by_name)


def _compile(by_name: dict[str, Field]) -> Cron:
    minute, hour, day, month, weekday = (
        by_name[name] for name in ("minute", "hour", "day_of_month", "month", "day_of_week")
    )
    plain = (minute, hour, day, month, weekday)
    second = by_name.get("second")
    found = masks((*plain, second) if second else plain)
    return Cron(
        seconds=found[5] if second else _AT_ZERO,
        minutes=found[0],
        hours=found[1],
        days=found[2] | day.marked_days,
        nearest=day.nearest,
        months=found[3],
        weekdays=found[4],
        nth=weekday.nth,
        both_days=day.starred or weekday.starred,
        starred=minute.starred or hour.starred,
        years=_year_mask(by_name["year"]) if "year" in by_name else EVERY_YEAR,
    )


def _year_mask(year: Field) -> int:
    """Reads a year ourselves, because croniter stops at 2099."""
    values = {year.kind.folded(value) for run in year.runs for value in run}
    return sum(1 << (value - YEAR_MIN) for value in values)
