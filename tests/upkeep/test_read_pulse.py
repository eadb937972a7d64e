"""The signs of life are read twice in ten seconds at most, however many ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onthedot.dispatch import due_tasks
from onthedot.store import clock
from onthedot.upkeep import read_pulse, tallies
from onthedot.upkeep.minute_tally import Tally
from onthedot.upkeep.pulse import Pulse
from tests.api.new_process import forget_pulse
from tests.simulation.calm import NOON, put_run, wait
from tests.simulation.stage import Stage


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    forget_pulse()
    yield
    forget_pulse()


def ticked(stage: Stage, at_ms: int) -> None:
    put_run(stage, due_tasks.Backlog(at_ms=at_ms).item())


def test_without_a_sign_nothing_is_known(stage: Stage) -> None:
    assert stage.deliveries == []
    assert read_pulse.recent() == Pulse()


def test_the_newest_of_both_is_found(stage: Stage) -> None:
    ticked(stage, NOON * 1000)
    tallies.keep(Tally(), 7)
    wait(stage, 60)
    tallies.keep(Tally(), 8)
    wait(stage, 61)

    assert read_pulse.recent() == Pulse(
        ticked_ms=NOON * 1000, audited_ms=(NOON + 60) * 1000, waiting=8
    )


def test_it_is_remembered_for_less_than_five_seconds(stage: Stage) -> None:
    ticked(stage, 1)
    wait(stage, 10)
    assert read_pulse.recent().ticked_ms == 1
    ticked(stage, 2)

    # A look in the same millisecond is remembered, too.
    assert read_pulse.recent().ticked_ms == 1
    wait(stage, 14.999)
    assert read_pulse.recent().ticked_ms == 1
    wait(stage, 15)
    assert read_pulse.recent().ticked_ms == 2


def test_a_clock_that_went_back_looks_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ticked(stage, 1)
    read_pulse.recent()
    ticked(stage, 2)
    monkeypatch.setattr(clock, "now_ms", lambda: NOON * 1000 - 1)

    assert read_pulse.recent().ticked_ms == 2
