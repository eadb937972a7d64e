"""What fires next, over schedules and tasks together."""

from __future__ import annotations

import pytest

from onthedot.api.views import agenda_source
from tests.api.kit import Api

TARGET = {"type": "python", "handler": "hello"}


def times(api: Api, query: str = "") -> list[tuple[str, str]]:
    answer = api.call(f"GET /v1/upcoming{query}")
    assert answer.status == 200, answer.text
    return [(each["at"][11:19], each["name"]) for each in answer.body["data"]]


def test_all_fires_are_merged_in_the_order_of_time(api: Api) -> None:
    api.schedule("hourly", cron="0 * * * *")
    # Ids sort by when they were made, and so do fires of one second.
    api.now_ms += 1
    api.schedule("quarterly", cron="*/15 * * * *")
    made = api.call(
        "POST /v1/tasks", {"name": "once", "run_at": "2026-11-18T12:20:00Z", "target": TARGET}
    )
    assert made.status == 201

    assert times(api, "?from=2026-11-18T12:01:00Z&to=2026-11-18T13:00:00Z") == [
        ("12:15:00", "quarterly"),
        ("12:20:00", "once"),
        ("12:30:00", "quarterly"),
        ("12:45:00", "quarterly"),
        ("13:00:00", "hourly"),
        ("13:00:00", "quarterly"),
    ]


def test_a_list_goes_on_where_it_stopped_even_within_a_second(api: Api) -> None:
    for name in ("a", "b", "c"):
        api.schedule(name, cron="*/30 * * * *")
    asked = "GET /v1/upcoming?to=2026-11-18T13:00:00Z&limit=2"

    found = []
    page = api.call(asked).body
    while True:
        found += [(each["at"], each["name"]) for each in page["data"]]
        if page["next_cursor"] is None:
            break
        page = api.call(f"{asked}&cursor={page['next_cursor']}").body

    assert len(found) == len(set(found)) == 9
    assert found == sorted(found, key=lambda each: each[0])


def test_what_is_paused_does_not_fire_and_what_a_calendar_excludes_says_so(api: Api) -> None:
    dates = {"calendar_id": "holidays", "dates": ["2026-11-19"]}
    assert api.call("POST /v1/calendars", dates).status == 201
    api.schedule("paused", status="paused")
    api.schedule("closed", calendars=["holidays"])

    (entry,) = api.call("GET /v1/upcoming").body["data"]

    assert (entry["name"], entry["excluded_by"]) == ("closed", "holidays")


def test_a_fire_shows_its_own_wall_clock(api: Api) -> None:
    api.schedule(cron="30 2 * * *", timezone="America/New_York")

    (entry,) = api.call("GET /v1/upcoming").body["data"]

    assert (entry["at"], entry["local"]) == ("2026-11-19T07:30:00Z", "Thu 2026-11-19 02:30 EST")


def test_more_than_a_month_is_refused_and_the_past_is_left_out(api: Api) -> None:
    api.schedule()

    long = api.call("GET /v1/upcoming?to=2027-11-18T12:00:00Z")

    assert (long.status, long.body["code"]) == (422, "invalid_field")
    assert times(api, "?from=2026-11-17T00:00:00Z&to=2026-11-18T23:00:00Z") == []


def test_the_heat_counts_what_is_due_and_names_the_hottest_time(api: Api) -> None:
    for name in ("a", "b"):
        api.schedule(name, cron="0 13 * * *")
    api.schedule("frequent", cron="*/20 * * * *")
    api.schedule("paused", status="paused")
    api.call("POST /v1/tasks", {"run_at": "2026-11-18T13:59:00Z", "target": TARGET})

    route = "GET /v1/upcoming/heat?to=2026-11-18T14:00:00Z&bucket_sec=1200"
    found = api.call(route).body

    assert (found["from"], found["to"]) == ("2026-11-18T12:00:00Z", "2026-11-18T14:00:00Z")
    assert found["counts"] == [1, 1, 1, 3, 1, 2]
    assert (found["total"], found["complete"]) == (9, True)
    assert found["hottest"] == {"at": "2026-11-18T13:00:00Z", "count": 3}
    assert found["as_of"] == "2026-11-18T12:00:00.000Z"


def test_the_heat_of_nothing_is_nothing_and_too_fine_a_one_is_refused(api: Api) -> None:
    nothing = api.call("GET /v1/upcoming/heat").body
    fine = api.call("GET /v1/upcoming/heat?to=2026-11-25T12:00:00Z&bucket_sec=60")
    odd = api.call("GET /v1/upcoming/heat?bucket_sec=61")

    assert (len(nothing["counts"]), nothing["total"], nothing["hottest"]) == (288, 0, None)
    assert (fine.status, fine.body["code"]) == (422, "invalid_field")
    assert odd.status == 400


def test_a_long_list_is_read_once_a_minute_and_says_when(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agenda_source, "_ANEW_UP_TO", 1)
    for name in ("a", "b"):
        api.schedule(name)
    api.call("GET /v1/upcoming")
    api.schedule("c")
    api.now_ms += 59_000

    soon = api.call("GET /v1/upcoming").body
    queries = api.calls["Query"]
    api.now_ms += 1_000
    later = api.call("GET /v1/upcoming").body

    assert (len(soon["data"]), soon["as_of"], queries) == (2, "2026-11-18T12:00:00.000Z", 0)
    assert (len(later["data"]), later["as_of"]) == (3, "2026-11-18T12:01:00.000Z")


def test_a_list_that_is_too_long_to_be_read_says_that_it_is_not_whole(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agenda_source, "LISTED_MAX", 2)
    for name in ("a", "b", "c"):
        api.schedule(name)

    assert api.call("GET /v1/upcoming").body["complete"] is False
    assert api.call("GET /v1/upcoming/heat").body["complete"] is False


def test_tasks_that_have_run_are_not_read_as_coming(api: Api) -> None:
    api.call("POST /v1/tasks", {"run_at": "2026-11-18T12:20:00Z", "target": TARGET})
    api.now_ms += 3_600_000

    assert api.call("GET /v1/upcoming?to=2026-11-19T12:00:00Z").body["data"] == []


def test_another_tenants_fires_are_its_own(api: Api) -> None:
    api.schedule()

    assert api.call("GET /v1/upcoming", key=api.key("read", "other")).body["data"] == []
