"""The calendars that a schedule names, as what they exclude."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.access.audit_trail import By
from onthedot.records.problems import Problem
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.calendar import Stored
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import calendar_edits
from onthedot.schedule.blackouts import blackout
from tests.simulation.calm import NOON, add, part, spoil
from tests.simulation.stage import Stage

BY = By(tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=NOON * 1000, chance="A")


@pytest.fixture(autouse=True)
def _kept(stage: Stage) -> None:
    """Puts two calendars of acme's."""
    assert stage.world.bugs() == []
    for number, name in enumerate(("lunch", "night")):
        kept = Stored(tenant_id="acme", calendar_id=name, cron=f"* {number} * * *")
        assert calendar_edits.write(None, kept, replace(BY, chance=name))


def test_each_is_given_once_in_the_order_in_which_they_are_named() -> None:
    found = calendar_edits.resolve("acme", ["night", "lunch", "night"])

    assert [one["name"] for one in found] == ["night", "lunch"]
    assert calendar_edits.resolve("acme", []) == ()


@pytest.mark.parametrize("named", [["none"], ["lunch", "none"], ["none", "lunch", "gone"]])
def test_the_first_that_there_is_not_is_named_to_the_caller(named: list[str]) -> None:
    with pytest.raises(Problem) as raised:
        calendar_edits.resolve("acme", named)

    (fault,) = raised.value.faults
    assert (raised.value.code, fault.pointer, fault.field) == (
        "invalid_field",
        "/calendars",
        "calendars",
    )
    assert fault.message == "There is no calendar 'none': expected the id of one of yours."


def test_anothers_is_none_of_yours() -> None:
    with pytest.raises(Problem):
        calendar_edits.resolve("other", ["lunch"])


def test_only_schedules_that_follow_the_calendar_are_counted(stage: Stage) -> None:
    behind, ahead, ended = (_naming(stage, name) for name in ("behind", "ahead", "ended"))
    spoil(stage, ahead, "spec", blackouts=[calendar_edits.resolve("acme", ["lunch"])[0]])
    spoil(stage, ended, "spec", status="deleted")
    loop = Loop(
        loop_id="cal_1",
        tenant_id="acme",
        kind="calendar",
        wanted={"calendar_id": "lunch"},
        cursor="",
        per_minute=9,
        by="key_1",
        began_ms=NOON * 1000,
    )

    first = calendar_edits.step(loop)
    second = calendar_edits.step(first)

    assert (first.counts, first.status, first.cursor) == (
        {"done": 1},
        "running",
        '{"pass": 2, "after": null}',
    )
    assert (second.counts, second.status) == ({"done": 1}, "done")
    assert [part(stage, one, "spec")["version"] for one in (behind, ahead, ended)] == [2, 1, 1]


def _naming(stage: Stage, name: str) -> Task:
    """Returns a schedule in its tenant's list that names lunch, as it was before that was moved."""
    listed = {"listed": "acme#s", "created_at": f"2026-11-18T11:00:00.{len(name)}00Z"}
    shown = listed | {"calendars": ["lunch"]}
    return add(stage, "* * * * *", name=name, blackouts=(_OLD,), shown=shown)


_OLD = blackout("lunch", cron="2 12 * * *")
