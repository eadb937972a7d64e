"""The calendars that a schedule names, as what they exclude."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.core.calendar_items import Stored
from onthedot.core.problems import Problem
from onthedot.core.trail import By
from onthedot.flows import calendars
from tests.flows.calm import NOON
from tests.simulation.stage import Stage

BY = By(tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=NOON * 1000, chance="A")


@pytest.fixture(autouse=True)
def _kept(stage: Stage) -> None:
    """Two calendars of acme's."""
    assert stage.world.bugs() == []
    for number, name in enumerate(("lunch", "night")):
        kept = Stored(tenant_id="acme", calendar_id=name, cron=f"* {number} * * *")
        assert calendars.write(None, kept, replace(BY, chance=name))


def test_each_is_given_once_in_the_order_in_which_they_are_named() -> None:
    found = calendars.resolve("acme", ["night", "lunch", "night"])

    assert [one["name"] for one in found] == ["night", "lunch"]
    assert calendars.resolve("acme", []) == ()


@pytest.mark.parametrize("named", [["none"], ["lunch", "none"], ["none", "lunch", "gone"]])
def test_the_first_that_there_is_not_is_named_to_the_caller(named: list[str]) -> None:
    with pytest.raises(Problem) as raised:
        calendars.resolve("acme", named)

    (fault,) = raised.value.faults
    assert (raised.value.code, fault.pointer, fault.field) == (
        "invalid_field",
        "/calendars",
        "calendars",
    )
    assert fault.message == "There is no calendar 'none': expected the id of one of yours."


def test_anothers_is_none_of_yours() -> None:
    with pytest.raises(Problem):
        calendars.resolve("other", ["lunch"])
