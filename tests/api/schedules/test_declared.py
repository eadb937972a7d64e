"""What code declares is registered by a deployment, and what operators said stays said."""

from __future__ import annotations

from typing import Any

from onthedot import OnTheDot, cron, every
from onthedot.registry.code_schedules import register
from tests.api.kit import Api

app = OnTheDot("billing")


def declared(**fields: Any) -> dict[str, Any]:
    """Returns the schedule of a nightly job, as the manifest has it."""

    @app.job(cron(fields.pop("cron", "0 9 * * *"), timezone="Europe/Paris"), **fields)
    def nightly() -> None: ...

    return dict(nightly.declared)


def sweep() -> dict[str, Any]:
    """Returns another one's."""

    @app.job(every(900))
    def sweep() -> None: ...

    return dict(sweep.declared)


def shown(api: Api, name: str = "nightly") -> Any:
    return api.call(f"GET /v1/schedules/{name}").body


def test_a_declared_schedule_is_registered_once(api: Api) -> None:
    assert register([declared(), sweep()], "acme") == {"created": 2}
    assert register([declared(), sweep()], "acme") == {"unchanged": 2}

    nightly = shown(api)
    assert nightly["managed_by"] == "code:billing"
    assert nightly["target"] == {"type": "python", "handler": "nightly"}
    assert nightly["next_run_at"] == "2026-11-19T08:00:00Z"
    assert (nightly["version"], nightly["created_by"]) == (1, "deploy")
    assert shown(api, "sweep")["every_sec"] == 900


def test_a_change_in_the_code_is_a_change_of_the_schedule(api: Api) -> None:
    register([declared()], "acme")
    before = shown(api)

    assert register([declared(cron="0 10 * * *", max_attempts=5)], "acme") == {"changed": 1}

    after = shown(api)
    assert after["task_id"] == before["task_id"]
    assert (after["cron"], after["max_attempts"], after["version"]) == ("0 10 * * *", 5, 2)


def test_a_declared_schedule_does_not_fire_on_the_days_of_its_calendars(api: Api) -> None:
    def calendar(name: str, date: str) -> None:
        body = {"calendar_id": name, "dates": [date], "timezone": "Europe/Paris"}
        assert api.call("POST /v1/calendars", body).status == 201

    calendar("eve", "2026-11-19")
    register([declared(calendars=["eve"])], "acme")
    assert shown(api)["next_run_at"] == "2026-11-20T08:00:00Z"

    calendar("day", "2026-11-20")
    register([declared(calendars=["eve", "day"])], "acme")
    assert shown(api)["next_run_at"] == "2026-11-21T08:00:00Z"
    assert register([declared(calendars=["eve", "day"])], "acme") == {"unchanged": 1}


def test_what_an_operator_paused_stays_paused(api: Api) -> None:
    register([declared()], "acme")
    api.call("POST /v1/schedules/nightly/pause", {"reason": "month end"})

    assert register([declared()], "acme") == {"unchanged": 1}
    assert register([declared(cron="0 11 * * *")], "acme") == {"changed": 1}

    after = shown(api)
    assert (after["status"], after["cron"]) == ("paused", "0 11 * * *")
    assert after["paused"]["reason"] == "month end"


def test_what_the_code_declares_no_more_is_ended_and_may_come_back(api: Api) -> None:
    register([declared(), sweep()], "acme")

    assert register([declared()], "acme") == {"unchanged": 1, "ended": 1}
    assert api.call("GET /v1/schedules/sweep").status == 404
    assert register([declared(), sweep()], "acme") == {"unchanged": 1, "created": 1}


def test_what_others_registered_is_left_alone(api: Api) -> None:
    api.schedule("nightly")
    api.schedule("theirs")

    assert register([declared()], "acme") == {"taken": 1}

    assert shown(api)["managed_by"] == "api"
    assert shown(api, "theirs")["status"] == "active"


def test_tenants_do_not_meet(api: Api) -> None:
    assert register([declared()], "acme") == {"created": 1}
    assert register([declared()], "other") == {"created": 1}
    assert register([], "other") == {"ended": 1}
    assert shown(api)["status"] == "active"
