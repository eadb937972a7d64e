"""The sentences for a field that cannot be read: what is wrong with which characters of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from onthedot.core.errors import ScheduleError
from onthedot.core.kinds import WEEKDAYS, YEAR, Kind

_MARKS = ("L", "W", "LW", "H", "R")
_NEAREST = re.compile(r"\d*W|W\d*")


class _Reason(NamedTuple):
    holds: bool
    code: str
    message: str
    suggestion: str | None = None


def unreadable(kind: Kind, item: str) -> ScheduleError:
    """Say why an item fits no form that a field can have: the first reason that holds."""
    noun, first, last = kind.noun, item[:1], item[-1:]
    step = item.partition("/")[2]
    reasons = (
        _Reason(not item, "bad_value", f"Expected {noun}; a list goes as 1,2,3."),
        _Reason("?" in item, "bad_value", "'?' stands alone, and only in a day field.", "*"),
        _Reason(first in "-/", "bad_value", f"Expected {noun} before '{first}'."),
        _Reason(last == "-", "bad_value", f"Expected {noun} after '-'."),
        _Reason(last == "/", "bad_step", "Expected a step after '/'."),
        _Reason(first in "HR" and kind is YEAR, "unsupported", f"{first} fits no years.", "*"),
        _Reason(first == "R", "unsupported", "R changes at every start; H is stable.", "H"),
        _Reason(first == "H", "bad_value", "H goes as H, H/n, H(a-b) or H(a-b)/n.", "H"),
        _Reason("#" in item, "bad_value", "# goes as MON#1, in a day of the week."),
        _Reason(bool(_NEAREST.fullmatch(item)), "bad_value", "W goes as 15W or LW in a day."),
        _Reason(
            "L" in (first, last) and kind.names is WEEKDAYS,
            "bad_value",
            "L goes with a day here, as 5L or L5: the last Friday of the month.",
            "5L",
        ),
        _Reason("L" in (first, last), "unsupported", "L goes as L or LW in a day of the month."),
        _Reason(bool(step) and not step.isdigit(), "bad_step", f"'{step}' is no whole number."),
        _Reason(True, "bad_value", f"'{item}' is not {noun}: expected {_bounds(kind)}."),  # noqa: FBT003 the last resort
    )
    reason = next(reason for reason in reasons if reason.holds)
    return ScheduleError(
        reason.code, reason.message, position=(0, len(item)), suggestion=reason.suggestion
    )


def unknown_name(kind: Kind, match: re.Match[str], group: int) -> ScheduleError:
    """Say that a name is none of this field's, and which one may be meant."""
    token = match[group]
    if token in _MARKS:
        return unreadable(kind, match[0])
    named = next((name for name in kind.names if token.startswith(name)), None)
    expected = f"{kind.names[0]} to {kind.names[-1]} or " if kind.names else ""
    return ScheduleError(
        "bad_name",
        f"'{token}' is not {kind.noun}: expected {expected}{_bounds(kind)}.",
        position=match.span(group),
        suggestion=_replaced(match, group, named) if named else None,
    )


def out_of_range(kind: Kind, match: re.Match[str], group: int) -> ScheduleError:
    """Say that a number lies outside the field; 24 o'clock is likely to mean 0, or 23 in 8-24."""
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
    """Say that a step of nothing is none."""
    return ScheduleError(
        "bad_step",
        "A step of 0 never moves on: expected 1 or more after '/'.",
        position=match.span(group),
        suggestion=_replaced(match, group, "1"),
    )


def which_week(match: re.Match[str]) -> ScheduleError:
    """Say that a month has no such week."""
    message = f"A month has no week number {match[3]}: expected 1 to 5 after '#'."
    return ScheduleError("out_of_range", message, position=match.span(3))


def backward_hash(match: re.Match[str]) -> ScheduleError:
    """Say that the window of an H runs backward."""
    return ScheduleError(
        "bad_value",
        f"H({match[1]}-{match[2]}) runs backward: expected the smaller number first.",
        position=(match.start(1), match.end(2)),
        suggestion=f"H({match[2]}-{match[1]}){match[0][match.end(2) + 1 :]}",
    )


def _bounds(kind: Kind) -> str:
    return f"a number from {kind.low} to {kind.top}"


def _replaced(match: re.Match[str], group: int, token: str) -> str:
    start, end = match.span(group)
    return match.string[:start] + token + match.string[end:]
