"""What no history came to, of the flows and of what they call: functions, lines of the others."""

from __future__ import annotations

from collections.abc import Iterable

from tests.mutation.code import ROOT, path
from tests.mutation.decision_modules import flows
from tests.mutation.reached import Point, points
from tests.simulation.play.coverage_reasons import UNCOVERED, why_missed

MODULES = (
    *flows(),
    *(f"onthedot.store.{name}" for name in "blobs conditional_writer queue table_reads".split()),
)


def never_entered(seen: set[Point]) -> list[str]:
    """Names the functions that no history entered."""
    entered = {(point.module, point.function) for point in seen}
    named = {(point.module, point.function) for point in points(MODULES)}
    return sorted(_name(*each) for each in named - entered)


def reason(function: str) -> str:
    """Returns why no history needs to enter it; of itself, or of its module as a whole."""
    return UNCOVERED.get(function, "") or UNCOVERED.get(function.partition(":")[0], "")


def report(seen: set[Point]) -> Iterable[str]:
    """Gives lines for the end of `make simulate`."""
    functions = never_entered(seen)
    without = [each for each in functions if not reason(each)]
    known = len(functions) - len(without)
    yield f"{len(functions)} functions that no history entered, {known} of them with a reason"
    yield from (f"  without a reason: {each}" for each in without)
    missed = lines_missed(seen)
    bare = [each for each in missed if not why_missed(*each[:2])]
    count = len(missed) - len(bare)
    yield f"{len(missed)} lines of other functions that no history came to, {count} with a reason"
    yield from (f"  without a reason: {name}:{line}: {text}" for name, text, line in bare)


def lines_missed(seen: set[Point]) -> list[tuple[str, str, int]]:
    """Gives function, text and number of each line of an entered function that was not reached."""
    entered = {(point.module, point.function) for point in seen}
    missed = (each for each in points(MODULES) - seen if (each.module, each.function) in entered)
    return sorted(
        (_name(each.module, each.function), _text(each.module, each.line), each.line)
        for each in missed
    )


def _text(module: str, line: int) -> str:
    return (ROOT / path(module)).read_text().splitlines()[line - 1].strip()


def _name(module: str, function: str) -> str:
    return f"{path(module).removeprefix('onthedot/')}:{function}"
