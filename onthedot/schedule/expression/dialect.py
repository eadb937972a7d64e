"""Finds the dialect of a text and its fields: 5, 6 or 7 fields, @, rate, AWS.

Each kind of field has its name, its range and the names of its values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from onthedot.schedule.expression.errors import ScheduleError

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
YEAR_MIN = 1970
YEAR_MAX = 2199


# Compared by identity, because kinds are keys of every cache.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """One kind of field: `low`..`high` is the meaning of `*`, `top` the largest number accepted."""

    name: str
    noun: str
    low: int
    high: int
    top: int
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Returns the number of values in the whole field."""
        return self.high - self.low + 1

    @property
    def full(self) -> int:
        """Returns the mask of the whole field."""
        return ((1 << self.size) - 1) << self.low

    def folded(self, number: int) -> int:
        """Brings a number that counted past the end back into the field."""
        return (number - self.low) % self.size + self.low


def _numbered(name: str, noun: str, *, low: int, high: int) -> Kind:
    return Kind(name=name, noun=noun, low=low, high=high, top=high)


SECOND = _numbered("second", "a second", low=0, high=59)
MINUTE = _numbered("minute", "a minute", low=0, high=59)
HOUR = _numbered("hour", "an hour", low=0, high=23)
DAY = _numbered("day_of_month", "a day of the month", low=1, high=31)
MONTH = Kind(name="month", noun="a month", low=1, high=12, top=12, names=MONTHS)
# 7 is Sunday again. `*` and `a/n` count from 0 to 6, or Sunday would fire twice.
WEEKDAY = Kind(name="day_of_week", noun="a day", low=0, high=6, top=7, names=WEEKDAYS)
# AWS counts days from 1 = Sunday. In the masks of both kinds bit 0 is Sunday.
AWS_WEEKDAY = Kind(name="day_of_week", noun="a day", low=1, high=7, top=7, names=WEEKDAYS)
YEAR = _numbered("year", "a year", low=YEAR_MIN, high=YEAR_MAX)


LENGTH_MAX = 256
EVERY_MAX_SEC = 31_622_400
_UNIX = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
_AWS = (MINUTE, HOUR, DAY, MONTH, AWS_WEEKDAY, YEAR)
_SECONDS_FIRST = {5: _UNIX, 6: (SECOND, *_UNIX), 7: (SECOND, *_UNIX, YEAR)}
_SECONDS_LAST = {5: _UNIX, 6: (*_UNIX, SECOND), 7: (*_UNIX, SECOND, YEAR)}
_MACROS = {
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
    "@MONTHLY": "0 0 1 * *",
    "@WEEKLY": "0 0 * * 0",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@HOURLY": "0 * * * *",
}
_UNIT_SEC = {"S": 1, "M": 60, "H": 3600, "D": 86_400, "W": 604_800}
_EVERY = re.compile(r"@EVERY\s+((?:[0-9]+[SMHDW])+)")
_RATE = re.compile(r"RATE\(\s*([0-9]+)\s+(MINUTE|HOUR|DAY)S?\s*\)")
_AT = re.compile(r"AT\(\s*(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d?)(?::(\d\d?))?\s*\)")
_CALL = re.compile(r"(CRON|RATE|AT)\s*\(")
_ZONED = re.compile(r"\s*((?:CRON_)?TZ=(\S*))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placed:
    """The text of one field as written, and its place in the whole."""

    kind: Kind
    text: str
    at: int


def split(text: str, seconds: str = "first") -> tuple[Placed, ...] | int:
    """Returns the fields of a cron text, or the seconds of an elapsed-time one."""
    if seconds not in ("first", "last"):
        message = f"seconds is '{seconds}': expected 'first' or 'last'."
        raise ScheduleError("bad_value", message, field="seconds", suggestion="first")
    _refuse_unreadable(text)
    upper = text.upper()
    shouted = upper.strip()
    if shouted.startswith("@"):
        return _split_macro(text, shouted)
    if _CALL.match(shouted):
        return _split_aws(text, upper)
    _refuse_zone(text)
    return _split_fields(text, text, _SECONDS_LAST if seconds == "last" else _SECONDS_FIRST)


def _refuse_unreadable(text: str) -> None:
    if len(text) > LENGTH_MAX:
        message = f"The expression has {len(text)} characters: expected {LENGTH_MAX} at most."
        raise ScheduleError("too_long", message, position=(LENGTH_MAX, len(text)))
    if not text.isascii():
        at = next(place for place, letter in enumerate(text) if not letter.isascii())
        message = f"'{text[at]}' is not an ASCII character."
        raise ScheduleError("not_ascii", message, position=(at, at + 1))
    if not text.strip():
        message = "The expression is empty: expected five fields, such as 0 9 * * 1-5."
        raise ScheduleError("empty", message, suggestion="0 9 * * 1-5")


def _refuse_zone(text: str) -> None:
    """Refuses a zone in front of the fields. Crontabs and other schedulers accept one."""
    if match := _ZONED.match(text):
        message = (
            f"The time zone is a field of its own: write timezone '{match[2]}', and leave "
            f"'{match[1]}' out of the expression."
        )
        rest = text[match.end() :].strip()
        raise ScheduleError("unsupported", message, position=match.span(1), suggestion=rest or None)


def _split_fields(text: str, inside: str, forms: dict[int, tuple[Kind, ...]]) -> tuple[Placed, ...]:
    words = list(re.finditer(r"\S+", inside))
    if kinds := forms.get(len(words)):
        return tuple(
            Placed(kind, word[0], word.start()) for kind, word in zip(kinds, words, strict=True)
        )
    one_short = len(words) == len(_UNIX) - 1
    raise ScheduleError(
        "field_count",
        f"{len(words)} field{'s' * (len(words) > 1)} found: expected 5 (minute hour day month "
        "weekday), 6 with seconds or 7 with a year.",
        position=(0, len(text)),
        suggestion=f"{text.strip()} *" if one_short else None,
    )


def _split_macro(text: str, shouted: str) -> tuple[Placed, ...] | int:
    if fields := _MACROS.get(shouted):
        return _split_fields(fields, fields, _SECONDS_FIRST)
    if match := _EVERY.fullmatch(shouted):
        parts = re.findall(r"([0-9]+)([SMHDW])", match[1])
        return _elapsed(text, sum(int(count) * _UNIT_SEC[unit] for count, unit in parts))
    if shouted.startswith("@EVERY"):
        message = "@every takes whole numbers of s, m, h, d or w, such as @every 90s or 1h30m."
        code, suggestion = "bad_value", "@every 90s"
    elif shouted == "@REBOOT":
        message = "@reboot is not supported: there is no machine here that starts up."
        code, suggestion = "unsupported", None
    else:
        message = f"'{text.strip()}' is not known: expected @hourly, @daily, @weekly, @monthly, "
        message += "@yearly or @every 90s."
        code, suggestion = "bad_name", _closest_macro(shouted)
    raise ScheduleError(code, message, position=_inked(text), suggestion=suggestion)


def _closest_macro(shouted: str) -> str | None:
    near = (name for name in _MACROS if name[:3] == shouted[:3])
    return next((name.lower() for name in near), None)


def _elapsed(text: str, seconds: int) -> int:
    if 1 <= seconds <= EVERY_MAX_SEC:
        return seconds
    message = (
        f"An interval of {seconds} seconds is out of range: expected 1 to {EVERY_MAX_SEC} "
        "(366 days)."
    )
    raise ScheduleError("out_of_range", message, position=_inked(text))


def _split_aws(text: str, upper: str) -> tuple[Placed, ...] | int:
    shouted = upper.strip()
    if match := _RATE.fullmatch(shouted):
        return _elapsed(text, int(match[1]) * _UNIT_SEC[match[2][0]])
    if match := _AT.fullmatch(shouted):
        return _split_at(match, upper.index(match[0]))
    opening = _CALL.search(upper)
    if opening and opening[1] == "CRON" and shouted.endswith(")"):
        return _split_aws_cron(text, opening.end())
    form, example = (
        ("rate(value unit)", "rate(5 minutes)")
        if shouted.startswith("RATE")
        else ("at(yyyy-mm-ddThh:mm:ss)", "at(2026-11-20T13:00:00)")
        if shouted.startswith("AT")
        else ("cron(minute hour day month weekday year)", "cron(0 10 ? * MON-FRI *)")
    )
    message = f"'{text.strip()}' cannot be read: expected the form {form}."
    raise ScheduleError("bad_value", message, position=_inked(text), suggestion=example)


def _split_at(match: re.Match[str], start: int) -> tuple[Placed, ...]:
    groups = {YEAR: 1, MONTH: 2, DAY: 3, HOUR: 4, MINUTE: 5, SECOND: 6}
    dated = [
        Placed(kind, match[group] or "0", start + max(match.start(group), 0))
        for kind, group in groups.items()
    ]
    return (*dated, Placed(WEEKDAY, "?", start))


def _split_aws_cron(text: str, start: int) -> tuple[Placed, ...]:
    inside = " " * start + text[start : text.rindex(")")]
    words = inside.split()
    if len(words) != len(_AWS):
        message = f"{len(words)} fields found in cron(): expected 6 (minute hour day month "
        message += "weekday year)."
        raise ScheduleError(
            "field_count", message, position=_inked(text), suggestion="cron(0 10 ? * MON-FRI *)"
        )
    placed = _split_fields(text, inside, {len(_AWS): _AWS})
    if (placed[2].text == "?") == (placed[4].text == "?"):
        day = placed[4]
        raise ScheduleError(
            "bad_value",
            "AWS cron() needs '?' in one of its two day fields, and only in one.",
            suggestion="*" if day.text == "?" else "?",
        ).within(text, day.at, len(day.text), day.kind.name)
    return placed


def _inked(text: str) -> tuple[int, int]:
    """Returns where the text begins and ends without the blanks around it."""
    start = len(text) - len(text.lstrip())
    return start, start + len(text.strip())
