"""Random cron expressions from a seed: valid ones, of every form the rules name."""

from __future__ import annotations

from random import Random

from tests.schedule.oracles.fields import (
    DAY_NAMES,
    DAY_OF_MONTH,
    DAY_OF_WEEK,
    HOUR,
    MONTH,
    MONTH_NAMES,
    SIXTY,
    Span,
)

WEEKDAY_LAST = 7


def five_fields(dice: Random) -> str:
    """Makes an expression of five fields."""
    minute = _field(dice, SIXTY, star=0.2)
    hour = _field(dice, HOUR, star=0.35)
    return f"{minute} {hour} {_day_fields(dice)}"


def six_fields(dice: Random) -> str:
    """Makes an expression of six fields, seconds first."""
    return f"{_field(dice, SIXTY, star=0.2)} {five_fields(dice)}"


def seven_fields(dice: Random) -> str:
    """Makes an expression of seven fields, seconds first and the year last."""
    first = dice.randrange(2020, 2060)
    year = dice.choice(
        ["*", f"{first}", f"{first}-{first + 9}", f"{first}-{first + 20}/3", f"{first},{first + 4}"]
    )
    return f"{six_fields(dice)} {year}"


def _day_fields(dice: Random) -> str:
    dom, month, dow = _day_of_month(dice), _field(dice, MONTH, star=0.6), _day_of_week(dice)
    return f"{dom} {month} {dow}"


def _day_of_month(dice: Random) -> str:
    form = dice.random()
    if form < 0.06:
        return dice.choice(["L", "L,15", "1,L", "l"])
    if form < 0.14:
        return f"{dice.randint(1, 31)}{dice.choice('Ww')}"
    if form < 0.17:
        return "?"
    return _field(dice, DAY_OF_MONTH, star=0.5)


def _day_of_week(dice: Random) -> str:
    form = dice.random()
    if form < 0.08:
        return ",".join(f"{_weekday(dice)}#{dice.randint(1, 5)}" for _ in range(dice.randint(1, 3)))
    if form < 0.13:
        return ",".join(f"L{dice.randrange(7)}" for _ in range(dice.randint(1, 2)))
    if form < 0.16:
        return "?"
    if form < 0.20:
        return dice.choice(["7", "0-7", "5-7", "7-2", "1-7/2", "7,3", "0,7", "sun-sat", "6-7"])
    return _field(dice, DAY_OF_WEEK, star=0.5)


def _weekday(dice: Random) -> str:
    return dice.choice([*DAY_NAMES, *map(str, range(WEEKDAY_LAST + 1))])


def _field(dice: Random, span: Span, *, star: float) -> str:
    if dice.random() < star:
        return "*"
    parts = dice.choice((1, 1, 1, 2, 3))
    return ",".join(_part(dice, span) for _ in range(parts))


def _part(dice: Random, span: Span) -> str:
    low, high = sorted(dice.choices(range(span.first, span.last + 1), k=2))
    step = dice.randint(1, max(2, (span.last - span.first) // 2))
    forms = {
        f"{_word(dice, span, low)}": 8,
        f"{_word(dice, span, low)}-{_word(dice, span, high)}": 4,
        f"{low}-{high}/{step}": 2,
        f"{_word(dice, span, high)}-{_word(dice, span, low)}": 2,
        f"{high}-{low}/{step}": 1,
        f"*/{step}": 3,
        f"{low}/{step}": 1,
    }
    return dice.choices(list(forms), weights=list(forms.values()))[0]


def _word(dice: Random, span: Span, value: int) -> str:
    """Writes a value as a number, or as its name in one case or another."""
    if span.names not in {MONTH_NAMES, DAY_NAMES} or dice.random() < 0.5:
        return str(value)
    name = span.names[value - span.first]
    return dice.choice([name, name.upper(), name.title()])
