"""Every function of the flows is entered by some history, or stands in a list with its reason."""

from __future__ import annotations

from collections.abc import Iterable

from tests.mutation import known
from tests.mutation.reached import Point, points
from tests.simulation.play import coverage
from tests.simulation.play.coverage_reasons import LINES, UNCOVERED
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.profiles.upkeep.profiles_api import ASKED
from tests.simulation.profiles.upkeep.profiles_beside import BESIDE

# What only some seeds of these come to.
_RARE = (
    *("keys", "edits", "races", "extras", "rough", "restored", "swept", "closed books"),
    *(scene.name for scene in (*ASKED, *BESIDE)),
    *("lost leases", "buried last", "buried bare", "slow late", "bounded late"),
)


def _seen(seeds: range, profiles: Iterable[str]) -> set[Point]:
    return {*known.play(coverage.MODULES, seeds, profiles).by_point}


def test_some_history_enters_every_function_that_has_no_reason() -> None:
    # A twin without the audit enters no more than its twin.
    seen = _seen(range(1), [name for name in ALL if not name.endswith(" bare")])
    seen |= _seen(range(1, 4), _RARE)
    # A resume that died before it had sent what it catches up on, and is asked for again.
    seen |= _seen(range(4, 5), ["asked on"])
    entered_no_more = [each for each in coverage.never_entered(seen) if not coverage.reason(each)]

    assert entered_no_more == []


def test_the_report_names_what_no_history_came_to() -> None:
    seen = _seen(range(1), ["calm"])
    everything = points(coverage.MODULES)
    firing = {each for each in everything if each.function == "carry_out"}

    without = "\n".join(coverage.report(seen - firing))

    assert firing
    assert "without a reason: dispatch/plan_effects.py:carry_out" in without
    assert "lines of other functions that no history came to" in without


def test_every_reason_is_about_code_that_is_there() -> None:
    nothing: set[Point] = set()
    functions = coverage.never_entered(nothing)
    files = {each.partition(":")[0] for each in functions}

    assert [each for each in UNCOVERED if each not in {*functions, *files}] == []


def test_every_reason_of_a_line_is_about_a_line_that_is_there() -> None:
    entered = {each._replace(line=0) for each in points(coverage.MODULES)}
    lines = [f"{name}: {text}" for name, text, _ in coverage.lines_missed(entered)]

    assert [one for one in LINES if not any(line.startswith(one) for line in lines)] == []
