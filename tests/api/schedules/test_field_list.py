"""A field is added to the one list of fields, and then it is everywhere, or a test here fails."""

from __future__ import annotations

from dataclasses import asdict
from inspect import signature
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from onthedot.api.replies import schedule_replies
from onthedot.api.requests import schedule_shapes
from onthedot.api.views import schedule_view
from onthedot.cli import field_flags
from onthedot.records.schema import BY_TENANT
from onthedot.records.shown_objects import hints
from onthedot.records.tasks import task_fields, task_spec
from onthedot.records.tasks.task_fields import COMMON, COMPILED, LISTED, SCHEDULE, WHEN
from onthedot.registry import definition
from onthedot.schedule.schedule import DST_CHOICES, compile_schedule
from onthedot.sdk.declaration import DECLARABLE
from tests.api.kit import SCHEDULE as GIVEN
from tests.api.kit import Api

# Of a one-off task alone.
ONCE = {"name", "run_at", "delay_sec", "idempotency_key", "idempotency_ttl_sec"}
LEFT_OUT = object()
# Of a preview alone.
ASKED = {"run_at", "seed", "from_", "count", "viewer_timezone"}


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        (schedule_shapes.ScheduleIn, {*SCHEDULE}),
        (schedule_shapes.SchedulePatch, {*SCHEDULE}),
        (schedule_shapes.TaskIn, {*COMMON, *ONCE}),
        (schedule_shapes.PreviewIn, {*WHEN, *ASKED}),
        (schedule_replies.Schedule, {*hints(task_fields.Schedule)}),
        (schedule_replies.Task, {*hints(task_fields.Task)}),
    ],
)
def test_a_shape_has_the_fields_of_the_list_and_its_own(
    shape: type[BaseModel], names: set[str]
) -> None:
    assert shape.model_fields.keys() == names


def test_a_schedule_is_shown_with_each_field_of_its_shape_and_no_other(api: Api) -> None:
    shown = api.schedule()
    listed = api.call("GET /v1/schedules").body["data"][0]

    assert shown.keys() == schedule_replies.Schedule.model_fields.keys()
    assert listed.keys() == schedule_replies.ScheduleEntry.model_fields.keys()
    assert LISTED.keys() <= listed.keys() & shown.keys()


def test_a_task_is_shown_with_each_field_of_its_shape_and_no_other(api: Api) -> None:
    shown = api.call("POST /v1/tasks", {"target": GIVEN["target"], "delay_sec": 60}).body
    listed = api.call("GET /v1/tasks").body["data"][0]

    assert shown.keys() == schedule_replies.Task.model_fields.keys()
    assert listed.keys() == schedule_replies.TaskEntry.model_fields.keys()


def test_each_field_that_the_engine_compiles_is_an_argument_of_it() -> None:
    wanted = signature(compile_schedule).parameters.keys()

    assert wanted - {"text", "seed", "calendars"} == set(COMPILED)
    assert {*COMPILED, "cron", "every_sec", "max_runs", "calendars"} == set(WHEN)
    assert set(WHEN) - set(field_flags.FIELDS) == {"cron", "every_sec", "calendars"}


@pytest.mark.parametrize("name", sorted({*COMPILED} - {"start_at", "end_at"}))
def test_the_default_of_the_list_is_the_default_of_the_engine(name: str) -> None:
    assert signature(compile_schedule).parameters[name].default == SCHEDULE[name]


def test_the_words_of_a_field_are_those_of_the_engine() -> None:
    assert {name: words(name) for name in DST_CHOICES} == DST_CHOICES


def words(name: str) -> tuple[Any, ...]:
    return get_args(get_args(hints(task_fields.WhenFields)[name])[0])


def test_what_an_older_spec_does_not_say_is_the_default() -> None:
    made = task_spec.Task(task_id="sch_A", tenant_id="acme", compiled=b"", target={})
    stored = {name: getattr(made, name) for name in SCHEDULE if hasattr(made, name)}

    # Null means no bound for `allow`, and one run at a time for all others.
    assert stored.pop("max_concurrent") == 1
    assert stored | {"retry": asdict(made.retry)} == {name: SCHEDULE[name] for name in stored}


def test_every_field_is_kept_and_comes_back() -> None:
    given = {"name": "report", "cron": "0 9 * * *", "target": {"type": "recording"}}
    changed = {
        name: _another(value) for name, value in SCHEDULE.items() if isinstance(value, int | str)
    }
    whole = {**changed, **given, "timezone": "Europe/Paris", "status": "paused"}
    for name in ("seconds", "dst_mode", "dst_gap", "dst_overlap", "misfire", "overlap"):
        whole[name] = get_args(get_args(hints(task_fields.ScheduleFields)[name])[0])[-1]

    task = definition.schedule(whole, task_id="sch_A", tenant_id="acme")

    kept = definition.fields_of(task)
    assert {name: kept[name] for name in whole} == whole
    assert kept.keys() == SCHEDULE.keys()


def _another(value: int | str) -> int | str:
    return value + 1 if isinstance(value, int) else f"{value}x"


def test_a_schedule_in_code_may_have_every_field_but_its_status() -> None:
    assert {"status"} == SCHEDULE.keys() - DECLARABLE


def test_the_index_of_lists_carries_nothing_else_that_is_no_field() -> None:
    assert set(BY_TENANT.carries) - set(LISTED) == {"target_type", "handler", "version"}


@pytest.mark.parametrize("change", [{"mood": "good"}, {"version": "1"}, {"tzdata": LEFT_OUT}])
def test_an_answer_that_its_shape_does_not_describe_fails_a_test(
    api: Api, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    view = schedule_view.view

    def changed(*given: Any, **more: Any) -> dict[str, Any]:
        shown = view(*given, **more) | change
        return {name: value for name, value in shown.items() if value is not LEFT_OUT}

    monkeypatch.setattr(schedule_view, "view", changed)
    with pytest.raises(ValidationError):
        api.schedule()
