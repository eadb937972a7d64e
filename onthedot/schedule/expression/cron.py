"""A cron expression compiled to bit masks: what is stored, and what alone decides when it fires."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.schedule.expression import croniter_masks, dialect
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.expression.fields import Field, read_field
from onthedot.schedule.expression.kinds import YEAR, YEAR_MIN

EVERY_YEAR = YEAR.full >> YEAR_MIN
_AT_ZERO = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """Masks over wall-clock time; bit n stands for the value n.

    In `days` bit 0 stands for L, the last day. `nearest` has the days of nW, `nth` six bits a
    weekday (first to fifth, last). `years` counts from 1970.
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
    # Both day fields must match (AND) when either begins with a star; else one suffices (OR).
    both_days: bool
    # The minute or the hour begins with a star: fires by elapsed time through a change of clocks.
    starred: bool


@dataclass(frozen=True, slots=True)
class Every:
    """Elapsed time, anchored to the Unix epoch."""

    seconds: int


def parse(text: str, *, seconds: str = "first", seed: str = "") -> Cron | Every:
    """Compile an expression of any dialect; H is seeded by the task's id."""
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
    masks = croniter_masks.masks((*plain, second) if second else plain)
    return Cron(
        seconds=masks[5] if second else _AT_ZERO,
        minutes=masks[0],
        hours=masks[1],
        days=masks[2] | day.marked_days,
        nearest=day.nearest,
        months=masks[3],
        weekdays=masks[4],
        nth=weekday.nth,
        both_days=day.starred or weekday.starred,
        starred=minute.starred or hour.starred,
        years=_year_mask(by_name["year"]) if "year" in by_name else EVERY_YEAR,
    )


def _year_mask(year: Field) -> int:
    """Ours, for croniter stops at 2099."""
    values = {year.kind.folded(value) for run in year.runs for value in run}
    return sum(1 << (value - YEAR_MIN) for value in values)
