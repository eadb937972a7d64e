"""After how many deaths a schedule is paused: what is kept of it, and when a warning is due."""

from __future__ import annotations

import pytest

from onthedot.registry import definition
from tests.schedule.samples import task


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [(10, {}), (3, {"pause_after_deaths": 3}), (None, {"pause_after_deaths": 0})],
)
def test_what_is_kept_is_read_as_it_was_wanted(wanted: int | None, kept: dict[str, int]) -> None:
    assert definition.kept(wanted) == kept
    assert definition.limit(task(shown=kept)) == wanted


@pytest.mark.parametrize(
    ("most", "failures", "near"),
    [(4, 1, None), (4, 2, 4), (4, 9, 4), (5, 2, None), (5, 3, 5), (0, 9, None), (1, 0, None)],
)
def test_a_schedule_is_near_its_pause_from_half_of_its_deaths_on(
    most: int, failures: int, near: int | None
) -> None:
    shown = {"pause_after_deaths": most}

    assert definition.near(task(shown=shown), failures) == near
    assert definition.near(task(shown=shown, status="paused"), failures) is None
