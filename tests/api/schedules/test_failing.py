"""Schedules that dead letters are of: what is listed, and in which order."""

from __future__ import annotations

from typing import Any

from tests.api import ran
from tests.api.kit import Api


def names(api: Api, query: str = "", **more: Any) -> list[str]:
    answer = api.call(f"GET /v1/schedules?status=failing{query}", **more)
    assert answer.status == 200, answer.text
    return [each["name"] for each in answer.body["data"]]


def died(api: Api, *wanted: str) -> list[str]:
    runs = []
    for name in wanted:
        runs.append(ran.dead(api, name))
        api.now_ms += 1_000
    return runs


def test_the_latest_death_comes_first_and_each_schedule_once(api: Api) -> None:
    api.schedule("well")
    died(api, "a", "b", "a", "c", "b")

    assert names(api) == ["b", "c", "a"]


def test_a_list_goes_on_where_it_stopped(api: Api) -> None:
    died(api, "a", "b", "c", "a")

    first = api.call("GET /v1/schedules?status=failing&limit=2").body
    second = api.call(
        f"GET /v1/schedules?status=failing&limit=2&cursor={first['next_cursor']}"
    ).body

    assert [each["name"] for each in [*first["data"], *second["data"]]] == ["a", "c", "b"]
    assert second["next_cursor"] is None


def test_what_was_run_again_or_deleted_fails_no_more(api: Api) -> None:
    again, _, _ = died(api, "again", "gone", "still")
    api.call(f"POST /v1/runs/{again}/replay")
    api.call("DELETE /v1/schedules/gone")

    assert names(api) == ["still"]


def test_other_filters_hold_beside_and_entries_are_as_in_any_list(api: Api) -> None:
    api.schedule("paid", tags={"team": "billing"})
    died(api, "paid", "other")

    assert names(api, "&tag=team:billing") == ["paid"]
    failing = api.call("GET /v1/schedules?status=failing&q=paid").body["data"]
    assert failing == api.call("GET /v1/schedules?q=paid").body["data"]


def test_another_tenants_failures_are_its_own(api: Api) -> None:
    died(api, "a")

    assert names(api, key=api.key("read", "other")) == []


def test_a_page_costs_three_trips(api: Api) -> None:
    died(api, "a", "b")
    api.now_ms += 86_400_000
    api.warm()

    assert len(names(api)) == 2
    # Dead letters, their schedules, and the newest runs of those.
    assert api.trips() == 3
