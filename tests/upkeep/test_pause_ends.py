"""Who waits for the end of a pause goes on at its second: not a millisecond sooner."""

from __future__ import annotations

import pytest

from onthedot.store import clock
from onthedot.upkeep import pauses_due
from tests.simulation.calm import NOON
from tests.simulation.stage import Stage

END_SEC = 5


@pytest.mark.parametrize(
    ("from_sec", "goes_on_sec"), [(0, END_SEC), (4.999, END_SEC), (5, END_SEC), (6.5, 6.5)]
)
def test_who_comes_before_the_second_waits_for_it(
    stage: Stage, from_sec: float, goes_on_sec: float
) -> None:
    went_on: list[int] = []

    def wait() -> None:
        pauses_due._wait_until(NOON + END_SEC)  # noqa: SLF001  # what each end waits for
        went_on.append(clock.now_ms())

    stage.world.spawn("audit", wait, at_sec=from_sec)
    stage.world.run(60)

    assert went_on == [NOON * 1000 + round(goes_on_sec * 1000)]
