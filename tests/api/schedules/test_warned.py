"""Warnings in the answer to a write: an unknown handler, an edit that a deployment undoes."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot import OnTheDot, cron
from onthedot.registry import declared_handlers
from onthedot.registry.code_schedules import register
from onthedot.store.access import tenant_bounds
from tests.api.kit import SCHEDULE, Answer, Api

TYPO = {"target": {"type": "python", "handler": "helo"}}
app = OnTheDot("billing")


@app.job(cron("0 9 * * *"))
def nightly() -> None: ...


def codes(answer: Answer) -> list[str]:
    assert answer.status in (200, 201), answer.text
    shown = answer.body.get("effects", answer.body)
    return [each["code"] for each in shown.get("schedule", shown.get("task", shown))["warnings"]]


@pytest.mark.parametrize("route", ["POST /v1/schedules", "POST /v1/tasks"])
@pytest.mark.parametrize("how", ["", "?dry_run=true"])
def test_an_unknown_handler_is_a_warning_with_the_nearest_name(
    api: Api, route: str, how: str
) -> None:
    declared_handlers.publish(["hello", "goodbye"])
    body = SCHEDULE | TYPO | {"name": "report"} if "schedules" in route else TYPO

    answer = api.call(route + how, body)

    assert codes(answer) == ["unknown_handler"]
    assert "There is no handler 'helo' in jobs/" in answer.text
    assert "Did you mean 'hello'?" in answer.text


def test_each_task_of_a_batch_has_its_own_warning(api: Api) -> None:
    declared_handlers.publish(["hello"])
    body = {"tasks": [TYPO, {"target": SCHEDULE["target"]}]}

    made = api.call("POST /v1/tasks/batch", body).body["data"]

    assert [[each["code"] for each in one["task"]["warnings"]] for one in made] == [
        ["unknown_handler"],
        [],
    ]


def test_an_edit_to_an_unknown_handler_warns_and_one_back_does_not(api: Api) -> None:
    declared_handlers.publish(["hello"])
    api.schedule("report")

    for how in ("?dry_run=true", ""):
        assert codes(api.call(f"PATCH /v1/schedules/report{how}", TYPO)) == ["unknown_handler"]
    assert codes(api.call("PATCH /v1/schedules/report", {"target": SCHEDULE["target"]})) == []


def test_where_no_deployment_has_said_which_there_are_nobody_is_warned(api: Api) -> None:
    assert codes(api.call("POST /v1/tasks", TYPO)) == []


def test_a_new_handler_is_known_within_a_minute(api: Api) -> None:
    declared_handlers.publish(["hello"])
    assert codes(api.call("POST /v1/tasks", TYPO)) == ["unknown_handler"]
    declared_handlers.publish(["hello", "helo"])
    api.now_ms += 60_000

    assert codes(api.call("POST /v1/tasks", TYPO)) == []


def test_no_tenant_is_told_the_name_of_a_handler_that_it_may_not_call(api: Api) -> None:
    declared_handlers.publish(["acme_mail", "acme_nail"])
    tenant_bounds.set_targets("acme", ["python:acme_m*"])

    answer = api.call("POST /v1/tasks", {"target": {"type": "python", "handler": "acme_mails"}})
    far = api.call("POST /v1/tasks", {"target": {"type": "python", "handler": "acme_m"}})

    assert "Did you mean 'acme_mail'?" in answer.text
    assert "acme_nail" not in answer.text + far.text


def test_which_handlers_there_are_is_read_once_a_minute(api: Api) -> None:
    declared_handlers.publish(["hello"])
    api.warm()

    for _ in range(3):
        assert api.call("POST /v1/tasks", TYPO | {"delay_sec": 900}).status == 201
        assert api.trips() <= 3


def test_an_edit_of_what_code_declares_warns_that_a_deployment_undoes_it(api: Api) -> None:
    register([dict(nightly.declared)], "acme")

    for how in ("?dry_run=true", ""):
        answer = api.call(f"PATCH /v1/schedules/nightly{how}", {"max_attempts": 7})
        assert codes(answer) == ["managed_by_code"]
        assert "code:billing" in answer.text
    whole = {"cron": "0 8 * * *", "managed_by": "code:billing", **TYPO}
    replaced = api.call("PUT /v1/schedules/nightly", whole, if_match="*")
    assert codes(replaced) == ["managed_by_code"]
    assert register([dict(nightly.declared)], "acme") == {"changed": 1}


def test_taken_away_from_the_code_it_is_left_alone(api: Api) -> None:
    register([dict(nightly.declared)], "acme")
    away = api.call("PATCH /v1/schedules/nightly", {"managed_by": "api", "max_attempts": 7})

    assert codes(away) == codes(api.call("PATCH /v1/schedules/nightly", {"max_attempts": 8})) == []
    assert register([], "acme") == {}
    assert register([dict(nightly.declared)], "acme") == {"taken": 1}


@pytest.mark.parametrize("how", ["", "?dry_run=true"])
def test_a_schedule_that_a_deployment_would_delete_cannot_be_made(api: Api, how: str) -> None:
    api.schedule("report")
    mine: dict[str, Any] = {"managed_by": "code:billing"}

    answers = [
        api.call(f"POST /v1/schedules{how}", SCHEDULE | mine | {"name": "new"}),
        api.call(f"PUT /v1/schedules/new{how}", SCHEDULE | mine),
        api.call(f"PATCH /v1/schedules/report{how}", mine),
        api.call(f"PUT /v1/schedules/report{how}", SCHEDULE | mine, if_match="*"),
    ]

    for answer in answers:
        assert (answer.status, answer.body["code"]) == (422, "invalid_field")
        assert answer.body["errors"][0]["pointer"] == "/managed_by"
