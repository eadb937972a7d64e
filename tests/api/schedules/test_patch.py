"""A merge patch of a schedule: parts of its parts are changed, taken away, put back to default."""

from __future__ import annotations

from typing import Any

from tests.api.kit import Answer, Api

HOOK = {"type": "http", "url": "https://example.com/a", "headers": {"a": "1", "b": "2"}}


def patch(api: Api, **fields: Any) -> Answer:
    return api.call("PATCH /v1/schedules/report", fields)


def test_one_tag_of_several_is_changed_and_one_taken_away(api: Api) -> None:
    api.schedule(tags={"team": "billing", "env": "test", "old": "1"})

    changed = patch(api, tags={"env": "live", "old": None})

    assert changed.body["tags"] == {"team": "billing", "env": "live"}


def test_one_field_of_a_target_is_changed_without_the_others(api: Api) -> None:
    api.schedule(target=HOOK)

    changed = patch(api, target={"method": "PUT", "headers": {"a": None}})

    assert changed.status == 200, changed.text
    assert changed.body["target"] == HOOK | {"method": "PUT", "headers": {"b": "2"}}


def test_a_target_of_another_type_keeps_nothing_of_the_old(api: Api) -> None:
    api.schedule(target={"type": "python", "handler": "hello"})

    assert patch(api, target=HOOK).body["target"] == HOOK


def test_a_limit_of_a_concurrency_key_is_taken_away(api: Api) -> None:
    api.schedule(concurrency_key={"key": "k", "max_running": 2, "rate": {"count": 1, "per_sec": 9}})

    changed = patch(api, concurrency_key={"max_running": None})

    assert changed.body["concurrency_key"] == {"key": "k", "rate": {"count": 1, "per_sec": 9}}


def test_what_a_patch_makes_of_a_part_is_held_to_its_shape(api: Api) -> None:
    api.schedule(target=HOOK)

    wrong = patch(api, target={"method": "FETCH"}, retry={"backof": "fixed"}, tags=["a"])

    assert wrong.status == 400
    assert [error["pointer"] for error in wrong.body["errors"]] == ["/retry/backof"]
    assert patch(api, target=5).body["errors"][0]["pointer"] == "/target"


def test_bounds_are_written_one_way_whatever_their_offset(api: Api) -> None:
    api.schedule()

    changed = patch(api, start_at="2027-01-01T00:00:00+02:00", end_at="2027-06-01T00:00:00.9Z")

    assert changed.body["start_at"] == "2026-12-31T22:00:00Z"
    assert changed.body["end_at"] == "2027-06-01T00:00:00Z"
    assert patch(api, start_at="2026-12-31T22:00:00Z").body["version"] == 2


def test_what_is_left_of_its_runs_is_said_as_it_is_after_the_change(api: Api) -> None:
    assert api.schedule(max_runs=5)["runs_left"] == 5

    assert patch(api, max_runs=3).body["runs_left"] == 3
    assert patch(api, max_runs=None).body["runs_left"] is None
    assert api.call("GET /v1/schedules/report").body["runs_left"] is None


def test_a_schedule_that_is_gone_is_not_made_anew_by_who_meant_to_replace_it(api: Api) -> None:
    wanted = {"cron": "0 9 * * *", "target": HOOK}
    for version in ('"3"', "*"):
        refused = api.call("PUT /v1/schedules/report", wanted, if_match=version)
        assert (refused.status, refused.body["code"]) == (412, "version_mismatch")

    calendar = {"dates": ["2026-12-25"]}
    assert api.call("PUT /v1/calendars/days", calendar, if_match='"1"').status == 412
    assert api.call("PUT /v1/schedules/report", wanted).status == 201
