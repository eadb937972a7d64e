"""The signs of life are read twice in ten seconds at most, however many ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onthedot.adapters import clock
from onthedot.core import backlog
from onthedot.core.pulse import Pulse
from onthedot.core.tally import Tally
from onthedot.flows import pulse, tallies
from tests.flows.calm import NOON, put_run, wait
from tests.simulation.stage import Stage


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    pulse.forget()
    yield
    pulse.forget()


def ticked(stage: Stage, at_ms: int) -> None:
    put_run(stage, backlog.Backlog(at_ms=at_ms).item())


def test_without_a_sign_nothing_is_known(stage: Stage) -> None:
    assert stage.deliveries == []
    assert pulse.recent() == Pulse()


def test_the_newest_of_both_is_found(stage: Stage) -> None:
    ticked(stage, NOON * 1000)
    tallies.keep(Tally(), 7)
    wait(stage, 60)
    tallies.keep(Tally(), 8)
    wait(stage, 61)

    assert pulse.recent() == Pulse(ticked_ms=NOON * 1000, audited_ms=(NOON + 60) * 1000, waiting=8)


def test_it_is_remembered_for_less_than_five_seconds(stage: Stage) -> None:
    ticked(stage, 1)
    wait(stage, 10)
    assert pulse.recent().ticked_ms == 1
    ticked(stage, 2)

    # A look in the same millisecond is remembered, too.
    assert pulse.recent().ticked_ms == 1
    wait(stage, 14.999)
    assert pulse.recent().ticked_ms == 1
    wait(stage, 15)
    assert pulse.recent().ticked_ms == 2


def test_a_clock_that_went_back_looks_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ticked(stage, 1)
    pulse.recent()
    ticked(stage, 2)
    monkeypatch.setattr(clock, "now_ms", lambda: NOON * 1000 - 1)

    assert pulse.recent().ticked_ms == 2
