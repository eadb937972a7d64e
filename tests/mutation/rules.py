"""Rules for changes that change nothing which anybody could see, each with its reason."""

from __future__ import annotations

import re

from tests.mutation.changes import Change
from tests.mutation.decision_modules import flows

# Why all that `by_a_check` names changes nothing, and so on.
A_CHECK = "an assertion that two lists are of one length, which they are by how they are made"
A_FIGURE = "what a pass counts is told when it is over: it does not matter when it is noted"
A_TICK = "a flow reads its clock at some moment: one millisecond later is as good, by any rule"
A_TYPE = "it is said for its type: None fails at its next use, and nobody catches either"
A_THOUSANDTH = "a length of time that is our own choice: clocks and calls are off by more than that"
_NOTED = ("tick.count(", "tick.report(")
_BOUNDS = ((" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "))
_CLOCKS = ("now_ms", "clock.monotonic()")
_OUR_SECONDS = re.compile(r"\b_?[A-Z][A-Z_]*_SEC\)? \* 1000\b")


def by_rule(change: Change) -> bool:
    rules = (by_a_check, by_a_figure, by_a_thousandth, by_a_tick, by_its_type)
    return any(rule(change) for rule in rules)


def by_a_check(change: Change) -> bool:
    """Tells whether only a zip does not check any more what holds by construction."""
    strict = change.source.count("True") == change.source.count("strict=True") > 0
    return strict and (change.before, change.after) == ("True", "False")


def by_a_figure(change: Change) -> bool:
    """Tells whether only a figure is noted sooner or later."""
    first, *pair = (part.strip() for part in change.before.split("⏎"))
    return first == "if True:" and any(each.startswith(_NOTED) for each in pair)


def by_a_thousandth(change: Change) -> bool:
    """Tells whether only one of our own lengths of time, in seconds, is longer by a thousandth."""
    if change.module not in flows() or change.source.count("1000") != 1:
        return False
    longer = (change.before, change.after) == ("1000", "1001")
    return longer and bool(_OUR_SECONDS.search(change.source))


def by_a_tick(change: Change) -> bool:
    """Tells whether only the very tick of a clock that the flow itself reads is decided
    otherwise.
    """
    if change.module not in flows() or change.before.startswith("0 "):
        return False
    reads = any(clock in change.before for clock in _CLOCKS) and "// 1000" not in change.before
    turned = (change.before.replace(*bound) for bound in _BOUNDS)
    return reads and change.after in turned


def by_its_type(change: Change) -> bool:
    """Tells whether only the name of the error differs by which what cannot be is refused."""
    return change.before.startswith("raise LookupError(") and change.after == "pass"
