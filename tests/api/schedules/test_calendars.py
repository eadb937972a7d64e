"""Calendars over HTTP: kept, obeyed by the schedules that name them, also when they change."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.registry import calendar_edits
from onthedot.store.tasks import read
from onthedot.upkeep import bulk_operations
from tests.api.kit import Api

HOLIDAYS = {"calendar_id": "holidays", "dates": ["2026-12-25"], "timezone": "Europe/Vienna"}
ROUTE = "/v1/calendars/holidays"


def made(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.call("POST /v1/calendars", HOLIDAYS | fields)
    assert answer.status == 201, answer.text
    return dict(answer.body)


def blackouts(task: dict[str, Any]) -> list[list[str]]:
    known = read(task["task_id"])
    assert known is not None
    return [list(one["dates"]) for one in known.task.blackouts]


def changed(api: Api, dates: list[str]) -> None:
    tag = api.call(f"GET {ROUTE}").headers["etag"]
    answer = api.call(f"PUT {ROUTE}", {"dates": dates}, if_match=tag)
    assert answer.status == 200, answer.text


def test_one_that_was_made_is_shown_and_listed(api: Api) -> None:
    made(api)

    shown = api.call(f"GET {ROUTE}")
    listed = api.call("GET /v1/calendars").body["data"]

    assert shown.body["dates"] == ["2026-12-25"]
    assert (shown.body["timezone"], shown.body["cron"]) == ("Europe/Vienna", None)
    assert (shown.headers["etag"], listed) == ('"1"', [shown.body])
    again = api.call("POST /v1/calendars", HOLIDAYS)
    assert (again.status, again.body["code"]) == (409, "name_taken")


def test_slots_of_before_a_change_are_still_shown(api: Api) -> None:
    made(api)
    api.schedule(cron="* * * * *", calendars=["holidays"])
    api.wait(300)
    before = api.call("GET /v1/schedules/report/slots").body["data"]

    changed(api, ["2026-12-26"])

    after = api.call("GET /v1/schedules/report/slots").body["data"]
    slots = [[each["scheduled_for"] for each in found] for found in (before, after)]
    assert slots[0]
    assert slots[1] == slots[0]


def test_a_schedule_that_names_it_keeps_what_it_excludes(api: Api) -> None:
    made(api)

    task = api.schedule(calendars=["holidays"])

    assert blackouts(task) == [["2026-12-25"]]
    assert api.call("GET /v1/schedules/report").body["calendars"] == ["holidays"]


def test_an_unknown_one_is_named(api: Api) -> None:
    answer = api.call(
        "POST /v1/schedules",
        {
            "name": "report",
            "cron": "0 9 * * *",
            "target": {"type": "python", "handler": "hello"},
            "calendars": ["holidays"],
        },
    )

    assert (answer.status, answer.body["code"]) == (422, "invalid_field")
    assert answer.body["errors"][0]["pointer"] == "/calendars"
    assert "'holidays'" in answer.body["detail"]


def test_a_change_reaches_every_schedule_that_names_it_before_the_answer(api: Api) -> None:
    made(api)
    named = [api.schedule(name, calendars=["holidays"]) for name in ("one", "two")]
    other = api.schedule("three")

    changed(api, ["2026-12-26"])

    assert [blackouts(task) for task in named] == [[["2026-12-26"]]] * 2
    assert blackouts(other) == []
    versions = [api.call(f"GET /v1/schedules/{n}").body["schedule_version"] for n in ("one", "two")]
    assert versions == [2, 2]


def test_one_that_was_registered_meanwhile_is_met_the_second_time(api: Api) -> None:
    made(api)
    task = api.schedule(calendars=["holidays"])
    changed(api, ["2026-12-26"])
    known = read(task["task_id"])
    assert known is not None
    # As if it had been read before and written after the change.
    api.call("PATCH /v1/schedules/report", {"calendars": []})
    changed(api, ["2026-12-27"])
    api.call("PATCH /v1/schedules/report", {"calendars": ["holidays"]})

    api.now_ms += 60_000
    bulk_operations.step()

    assert blackouts(task) == [["2026-12-27"]]
    assert bulk_operations.step() == {}


def test_more_schedules_than_a_minute_has_room_for_follow_in_the_next(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar_edits, "PER_MINUTE", 2)
    made(api)
    tasks = [api.schedule(f"s{place}", calendars=["holidays"]) for place in range(5)]

    changed(api, ["2026-12-26"])
    done = [sum(blackouts(task) == [["2026-12-26"]] for task in tasks)]
    for _ in range(2):
        api.now_ms += 60_000
        bulk_operations.step()
        done.append(sum(blackouts(task) == [["2026-12-26"]] for task in tasks))

    assert done == [2, 4, 5]


def test_a_plan_names_the_schedules_it_would_reach(api: Api) -> None:
    made(api)
    task = api.schedule(calendars=["holidays"])

    plan = api.call(f"PUT {ROUTE}?dry_run=true", {"dates": ["2026-12-26"]}, if_match="*")

    assert plan.body["effects"]["schedules"] == [{"task_id": task["task_id"], "name": "report"}]
    assert blackouts(task) == [["2026-12-25"]]


def test_a_change_names_the_version_that_it_replaces(api: Api) -> None:
    made(api)

    without = api.call(f"PUT {ROUTE}", {"dates": ["2026-12-26"]})
    stale = api.call(f"PUT {ROUTE}", {"dates": ["2026-12-26"]}, if_match='"7"')

    assert (without.status, stale.status) == (428, 412)


def test_put_makes_a_new_one(api: Api) -> None:
    answer = api.call(f"PUT {ROUTE}", {"cron": "0-59 0-6 * * *"})

    assert (answer.status, answer.body["version"]) == (201, 1)


def test_it_is_forgotten_once_no_schedule_names_it(api: Api) -> None:
    made(api)
    api.schedule(calendars=["holidays"])

    kept = api.call(f"DELETE {ROUTE}")
    api.call("PATCH /v1/schedules/report", {"calendars": []})
    gone = api.call(f"DELETE {ROUTE}")

    assert (kept.status, kept.body["code"], gone.status) == (409, "calendar_in_use", 204)
    assert "report" in kept.body["detail"]
    assert api.call(f"GET {ROUTE}").status == 404


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"dates": ["Christmas"]}, "/dates"),
        ({"dates": [], "cron": None}, "/dates"),
        ({"timezone": "Mars/Olympus"}, "/timezone"),
        ({"dates": [], "cron": "* * * * *"}, "/cron"),
        ({"dates": [], "cron": "0 0 31 2"}, "/cron"),
    ],
)
def test_what_it_cannot_mean_is_refused_with_its_place(
    api: Api, fields: dict[str, Any], pointer: str
) -> None:
    answer = api.call("POST /v1/calendars", HOLIDAYS | fields)

    assert (answer.status, answer.body["errors"][0]["pointer"]) == (422, pointer)


def test_another_tenants_is_not_there(api: Api) -> None:
    made(api)
    other = api.key("admin", "other")

    assert api.call("GET /v1/calendars", key=other).body["data"] == []
    assert api.call(f"GET {ROUTE}", key=other).status == 404
    assert api.call(f"DELETE {ROUTE}", key=other).status == 404


def test_the_next_run_that_is_shown_is_one_that_no_calendar_excludes(api: Api) -> None:
    made(api, timezone="UTC", dates=["2026-11-19/2026-11-20"])
    task = api.schedule(calendars=["holidays"])

    (entry,) = api.call("GET /v1/schedules").body["data"]

    assert task["next_run_at"] == "2026-11-21T09:00:00Z"
    assert entry["next_run_at"] == "2026-11-21T09:00:00Z"
