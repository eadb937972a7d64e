"""Writes the sentences for a field that cannot be read: which characters are wrong, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from onthedot.schedule.expression.dialect import DAY, WEEKDAYS, YEAR, Kind
from onthedot.schedule.expression.errors import ScheduleError

_MARKS = ("L", "W", "LW", "H", "R")
_NEAREST = re.compile(r"\d*W|W\d*")


class _Reason(NamedTuple):
    holds: bool
    code: str
    message: str
    suggestion: str | None = None


def unreadable(kind: Kind, item: str) -> ScheduleError:
    """Says why an item fits no form of a field. The first reason that holds wins."""
    reasons = (*_misplaced(kind, item), *_marked(kind, item), *_otherwise(kind, item))
    reason = next(reason for reason in reasons if reason.holds)
    return ScheduleError(
        reason.code, reason.message, position=(0, len(item)), suggestion=reason.suggestion
    )


def _misplaced(kind: Kind, item: str) -> Iterator[_Reason]:
    """Yields reasons for signs that lack something beside them."""
    noun, first, last = kind.noun, item[:1], item[-1:]
    message = f"Nothing stands beside the comma: expected {noun} on each side, as in 1,2,3."
    yield _Reason(not item, "bad_value", message)
    message = "'?' stands alone, in the day of the month or in the day of the week."
    yield _Reason("?" in item, "bad_value", message, "*")
    message = f"Nothing stands before '{first}': expected {noun} there."
    yield _Reason(first in "-/", "bad_value", message)
    message = f"Nothing stands after '-': expected {noun} there."
    yield _Reason(last == "-", "bad_value", message)
    message = "Nothing stands after '/': expected a step, such as 5 in */5."
    yield _Reason(last == "/", "bad_step", message)


def _marked(kind: Kind, item: str) -> Iterator[_Reason]:
    """Yields reasons for letters that have a meaning, but not in this place."""
    upper = item.upper()
    first = upper[:1]
    message = f"{first} cannot be used for years."
    yield _Reason(first in "HR" and kind is YEAR, "unsupported", message, "*")
    message = "R is a new random value at every start. H is a value that stays the same: write H."
    yield _Reason(first == "R", "unsupported", message, "H")
    message = "H is written as H, H/15, H(0-30) or H(0-30)/15."
    yield _Reason(first == "H", "bad_value", message, "H")
    message = "'#' is for the day of the week, behind a day: MON#1 is the first Monday."
    yield _Reason("#" in item, "bad_value", message)
    message = "W is for the day of the month: 15W is the weekday nearest the 15th, LW the last one."
    yield _Reason(bool(_NEAREST.fullmatch(upper)), "bad_value", message)
    ends_in_l = "L" in (first, upper[-1:])
    message = "In the day of the week L needs a day: 5L is the last Friday of the month."
    yield _Reason(ends_in_l and kind.names is WEEKDAYS, "bad_value", message, "5L")
    message = "In the day of the month write L for the last day, or LW for the last weekday."
    yield _Reason(ends_in_l and kind is DAY, "unsupported", message)
    message = "L is for the days only: the day of the month (L, LW) or the day of the week (5L)."
    yield _Reason(ends_in_l, "unsupported", message)


def _otherwise(kind: Kind, item: str) -> Iterator[_Reason]:
    step = item.partition("/")[2]
    message = f"The step '{step}' is not a whole number: expected one such as 5 in */5."
    yield _Reason(bool(step) and not step.isdigit(), "bad_step", message)
    message = f"'{item}' is not {kind.noun}: expected {_bounds(kind)}."
    yield _Reason(True, "bad_value", message)  # noqa: FBT003 the last resort


def unknown_name(kind: Kind, match: re.Match[str], group: int) -> ScheduleError:
    """Says that this field has no such name, and which one may be meant."""
    token = match[group]
    if token.upper() in _MARKS:
        return unreadable(kind, match[0])
    named = next((name for name in kind.names if token.upper().startswith(name)), None)
    expected = f"{kind.names[0]} to {kind.names[-1]} or " if kind.names else ""
    return ScheduleError(
        "bad_name",
        f"'{token}' is not {kind.noun}: expected {expected}{_bounds(kind)}.",
        position=match.span(group),
        suggestion=_replaced(match, group, named) if named else None,
    )


def out_of_range(kind: Kind, match: re.Match[str], group: int) -> ScheduleError:
    """Says that a number lies outside the field. 24 o'clock often means 0, and 8-24 means 8-23."""
    token = match[group]
    one_over = kind.low == 0 and int(token) == kind.top + 1
    meant = kind.low if group == 1 else kind.high
    return ScheduleError(
        "out_of_range",
        f"{token} is not {kind.noun}: expected {_bounds(kind)}.",
        position=match.span(group),
        suggestion=_replaced(match, group, str(meant)) if one_over else None,
    )


def step_of_zero(match: re.Match[str], group: int) -> ScheduleError:
    """Says that a step must not be zero."""
    return ScheduleError(
        "bad_step",
        "A step of 0 would never move on: expected 1 or more after '/'.",
        position=match.span(group),
        suggestion=_replaced(match, group, "1"),
    )


def which_week(match: re.Match[str]) -> ScheduleError:
    """Says that a month has no such week."""
    message = f"'#{match[3]}' is out of range: expected '#1' (the first in a month) to '#5'."
    return ScheduleError("out_of_range", message, position=match.span(3))


def backward_hash(match: re.Match[str]) -> ScheduleError:
    """Says that the window of an H runs backwards."""
    return ScheduleError(
        "bad_value",
        f"H({match[1]}-{match[2]}) counts backward: write the smaller number first.",
        position=(match.start(1), match.end(2)),
        suggestion=f"H({match[2]}-{match[1]}){match[0][match.end(2) + 1 :]}",
    )


def _bounds(kind: Kind) -> str:
    return f"a number from {kind.low} to {kind.top}"


def _replaced(match: re.Match[str], group: int, token: str) -> str:
    start, end = match.span(group)
    return match.string[:start] + token + match.string[end:]
