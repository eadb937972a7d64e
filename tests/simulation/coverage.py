"""What no history came to, of the flows and of what they call: functions, lines of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tests.mutation.code import path
from tests.mutation.deciding import flows
from tests.mutation.reached import Point, points
from tests.simulation.uncovered import UNCOVERED

MODULES = (*flows(), *(f"onthedot.adapters.{name}" for name in "blobs claims queue tables".split()))


def never_entered(seen: set[Point]) -> list[str]:
    """Names the functions that no history entered."""
    entered = {(point.module, point.function) for point in seen}
    named = {(point.module, point.function) for point in points(MODULES)}
    return sorted(_name(*each) for each in named - entered)


def reason(function: str) -> str:
    """Why no history needs to enter it; of itself, or of its module as a whole."""
    return UNCOVERED.get(function, "") or UNCOVERED.get(function.partition(":")[0], "")


def report(seen: set[Point]) -> Iterable[str]:
    """Gives lines for the end of `make simulate`."""
    functions = never_entered(seen)
    without = [each for each in functions if not reason(each)]
    known = len(functions) - len(without)
    yield f"{len(functions)} functions that no history entered, {known} of them with a reason"
    yield from (f"  without a reason: {each}" for each in without)
    entered = {(point.module, point.function) for point in seen}
    lines: dict[tuple[str, str], list[int]] = defaultdict(list)
    for point in sorted(points(MODULES) - seen):
        if (point.module, point.function) in entered:
            lines[point.module, point.function].append(point.line)
    count = sum(len(each) for each in lines.values())
    yield f"{count} lines of other functions that no history came to"
    for (module, function), missed in lines.items():
        yield f"  {_name(module, function)}: {', '.join(str(line) for line in missed)}"


def _name(module: str, function: str) -> str:
    return f"{path(module).removeprefix('onthedot/')}:{function}"
