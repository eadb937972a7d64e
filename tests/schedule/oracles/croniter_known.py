"""Where croniter 6.2.4 is known to differ from semantics.md: a predicate for each class.

The classes carry the labels of facts/cron.md, section 2; two more were found by these tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.schedule.oracles.fields import DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MONTH, SIXTY, YEAR, Span

SPANS = (SIXTY, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, SIXTY, YEAR)
ANY = {"*", "?"}


def equal_range(fields: list[str]) -> bool:
    """B1: croniter reads `a-a` as the whole field."""
    return any(low == high for low, high, _ in _ranges(fields))


def last_value_with_a_step(fields: list[str]) -> bool:
    """B2: croniter reads the field's last value with a step as the whole field."""
    return any(part.split("/")[0] == str(span.last) for span, part in _parts(fields) if "/" in part)


def stepped_star_beside_another_day_field(fields: list[str]) -> bool:
    """B3: croniter takes `*/n` for a restriction, so it ORs where Vixie's cron ANDs."""
    dom, dow = fields[2], fields[4]
    return any(
        first.startswith("*/") and second not in ANY for first, second in ((dom, dow), (dow, dom))
    )


def date_that_never_comes_or_a_weekday(fields: list[str]) -> bool:
    """B4: croniter finds no date when the day of the month is impossible, though weekdays are."""
    dom, _, dow = fields[2:5]
    return dom not in ANY and dow not in ANY and not _dom_comes(fields)


def day_of_month_with_nth_weekday(fields: list[str]) -> bool:
    """B5: croniter ANDs a day of the month and an nth or last weekday."""
    dom, dow = fields[2], fields[4]
    return dom not in ANY and _is_nth(dow)


def nearest_weekday_with_day_of_week(fields: list[str]) -> bool:
    """B6: croniter ANDs `nW` and a day of the week."""
    dom, dow = fields[2], fields[4]
    return dom.endswith("w") and dow not in ANY


def wrapped_range_with_a_step(fields: list[str]) -> bool:
    """B7: croniter begins the step again where a range wraps."""
    return any(low > high and step > 1 for low, high, step in _ranges(fields))


def every_value_listed_beside_a_star(fields: list[str]) -> bool:
    """Ours: croniter takes a day field that lists all for `*` if the other has a `*` further in."""
    dom, dow = fields[2], fields[4]
    return ("*" in dow[1:] and _lists_all(dom, DAY_OF_MONTH)) or (
        "*" in dom[1:] and _lists_all(dow, DAY_OF_WEEK)
    )


def seven_for_sunday_with_seconds(fields: list[str]) -> bool:
    """Ours: croniter refuses 7 as a weekday in six and seven fields."""
    return len(fields) > 5 and bool(re.search(r"(^|[,-])7", fields[4]))


KNOWN: dict[str, Callable[[list[str]], bool]] = {
    "B1": equal_range,
    "B2": last_value_with_a_step,
    "B3": stepped_star_beside_another_day_field,
    "B4": date_that_never_comes_or_a_weekday,
    "B5": day_of_month_with_nth_weekday,
    "B6": nearest_weekday_with_day_of_week,
    "B7": wrapped_range_with_a_step,
    "listed": every_value_listed_beside_a_star,
    "seven": seven_for_sunday_with_seconds,
}


def known_classes(fields: list[str]) -> list[str]:
    """Names the classes an expression falls in; its fields in croniter's order."""
    lowered = [field.lower() for field in fields]
    return [name for name, holds in KNOWN.items() if holds(lowered)]


def _parts(fields: list[str]) -> list[tuple[Span, str]]:
    by_span = zip(SPANS, fields, strict=False)  # there may be no seconds and no years
    return [(span, part) for span, field in by_span for part in field.split(",")]


def _ranges(fields: list[str]) -> list[tuple[int, int, int]]:
    """List the ranges `a-b/n` of all fields as numbers, Sunday as 7 where it ends one."""
    found = []
    for span, part in _parts(fields):
        body, _, step = part.partition("/")
        if "-" in body:
            low, high = (span.number(word) for word in body.split("-"))
            found.append((low, high, int(step or 1)))
    return found


def _is_nth(dow: str) -> bool:
    return "#" in dow or dow.startswith("l")


def _lists_all(field: str, span: Span) -> bool:
    if field in ANY or re.search("[lw#]", field):
        return False
    values = frozenset[int]().union(*(span.values(part) for part in field.split(",")))
    return len(values) == span.last - span.first + 1


def _dom_comes(fields: list[str]) -> bool:
    """Tells whether the day of the month exists in any of the months."""
    if "l" in fields[2] or "w" in fields[2]:
        return True
    days = frozenset[int]().union(*(DAY_OF_MONTH.values(part) for part in fields[2].split(",")))
    months = frozenset[int]().union(*(MONTH.values(part) for part in fields[3].split(",")))
    longest = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
    return any(min(days) <= longest.get(month, 31) for month in months)
