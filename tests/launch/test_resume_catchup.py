"""A resume runs up to a hundred missed slots; if there are more, it runs none."""

from __future__ import annotations

import pytest

from onthedot.launch.resume_catchup import SLOTS_MAX, effects, slots
from onthedot.records.problems import Problem
from tests.schedule.samples import NOON, task

_PAUSED = task(status="paused", paused_at=NOON, effective_from=NOON)


def test_as_many_as_may_be_are_run() -> None:
    found = slots(_PAUSED, "all", NOON + 60 * SLOTS_MAX)

    assert found == [NOON + 60 * minute for minute in range(1, SLOTS_MAX + 1)]


def test_one_more_is_refused_as_a_whole() -> None:
    with pytest.raises(Problem, match="More than 100 slots"):
        slots(_PAUSED, "all", NOON + 60 * (SLOTS_MAX + 1))


def test_a_plan_says_how_many_it_would_run_and_in_which_order() -> None:
    said = effects(_PAUSED, [NOON + 60, NOON + 120], None)

    assert said["count"] == 2
    assert said["order"].startswith("oldest first")


def test_a_plan_that_runs_none_says_nothing_of_an_order() -> None:
    assert set(effects(_PAUSED, [], None)) == {"action", "will_run", "next_run_at"}
