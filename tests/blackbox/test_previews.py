"""What an expression means, said before it is saved: fires, clock changes, refusals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.blackbox.user import User
from tests.blackbox.world import World

NEW_YORK = "America/New_York"
# The night before the hour that does not exist, and before the one that comes twice.
GAP, OVERLAP = "2027-03-14T00:00:00Z", "2027-11-07T00:00:00Z"


def fires(user: User, cron: str, count: int = 3, **fields: object) -> list[str]:
    asked = {"cron": cron, "count": count, "from": "2027-01-01T00:00:00Z", **fields}
    shown = user.said(200, "POST", "/v1/cron/preview", asked)
    return [each["at"] for each in shown["fires"]]


def refused(user: User, **fields: object) -> dict[str, Any]:
    answer = user.ask("POST", "/v1/cron/preview", fields)
    assert answer.refusal == (422, "invalid_schedule"), answer
    return dict(answer.json["errors"][0])


@pytest.mark.parametrize(
    ("cron", "first"),
    [
        ("0 9 * * MON-FRI", "2027-01-01T09:00:00Z"),
        ("*/20 * * * * *", "2027-01-01T00:00:20Z"),
        ("0 0 12 1 1 ? 2027", "2027-01-01T12:00:00Z"),
        ("@daily", "2027-01-02T00:00:00Z"),
        ("@hourly", "2027-01-01T01:00:00Z"),
        ("@weekly", "2027-01-03T00:00:00Z"),
        ("@monthly", "2027-02-01T00:00:00Z"),
        ("@yearly", "2028-01-01T00:00:00Z"),
        ("@every 90s", "2027-01-01T00:01:30Z"),
        ("@every 1h30m", "2027-01-01T01:30:00Z"),
        ("rate(5 minutes)", "2027-01-01T00:05:00Z"),
        ("cron(0 10 ? * MON-FRI *)", "2027-01-01T10:00:00Z"),
        ("at(2027-11-20T13:00:00)", "2027-11-20T13:00:00Z"),
        ("0 0 L * *", "2027-01-31T00:00:00Z"),
        ("0 0 15W * *", "2027-01-15T00:00:00Z"),
        ("0 0 LW * *", "2027-01-29T00:00:00Z"),
        ("0 0 * * 5L", "2027-01-29T00:00:00Z"),
        ("0 0 * * MON#1", "2027-01-04T00:00:00Z"),
        ("0 22-4 * * *", "2027-01-01T01:00:00Z"),
        ("0 9-9 * * *", "2027-01-01T09:00:00Z"),
        ("7/10 * * * *", "2027-01-01T00:07:00Z"),
        ("0 0 13 * 5", "2027-01-08T00:00:00Z"),
        ("0 0 */2 * 1", "2027-01-11T00:00:00Z"),
        ("0 0 * jan SUN", "2027-01-03T00:00:00Z"),
    ],
)
def test_an_expression_fires_first_when_its_words_say(world: World, cron: str, first: str) -> None:
    assert fires(world.operator, cron)[0] == first


def test_a_time_that_does_not_exist_is_fired_skipped_or_shifted(world: World) -> None:
    def first(dst_gap: str) -> str:
        fields: dict[str, Any] = {"timezone": NEW_YORK, "from": GAP, "dst_gap": dst_gap}
        return fires(world.operator, "30 2 * * *", **fields)[0]

    assert first("fire") == "2027-03-14T07:00:00Z"
    assert first("skip") == "2027-03-15T06:30:00Z"
    assert first("shift") == "2027-03-14T07:30:00Z"


def test_a_moved_fire_says_so(world: World) -> None:
    asked = {"cron": "30 2 * * *", "timezone": NEW_YORK, "from": GAP}

    shown = world.operator.said(200, "POST", "/v1/cron/preview", asked)

    note = "02:30 does not exist on this day; fires at 03:00 EDT."
    assert shown["fires"][0]["note"] == note
    assert shown["fires"][0]["note_code"] == "dst_gap_moved"
    assert shown["tzdata"]
    assert "dst_gap" in {each["code"] for each in shown["warnings"]}


def test_a_time_that_comes_twice_fires_first_last_or_both(world: World) -> None:
    def told(dst_overlap: str) -> list[str]:
        fields = {"timezone": NEW_YORK, "from": OVERLAP, "dst_overlap": dst_overlap}
        return fires(world.operator, "30 1 * * *", 2, **fields)

    assert told("first")[0] == "2027-11-07T05:30:00Z"
    assert told("last")[0] == "2027-11-07T06:30:00Z"
    assert told("both") == ["2027-11-07T05:30:00Z", "2027-11-07T06:30:00Z"]


def test_an_interval_runs_on_through_a_change_of_the_clock(world: World) -> None:
    gap = fires(
        world.operator, "*/30 * * * *", 4, **{"timezone": NEW_YORK, "from": "2027-03-14T06:00:00Z"}
    )

    assert gap == [
        "2027-03-14T06:30:00Z",
        "2027-03-14T07:00:00Z",
        "2027-03-14T07:30:00Z",
        "2027-03-14T08:00:00Z",
    ]


def test_a_daily_job_fires_once_a_day_through_the_whole_year(world: World) -> None:
    for zone in ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe"):
        for begun in ("2027-03-01T00:00:00Z", "2027-09-25T00:00:00Z"):
            fields = {"timezone": zone, "from": begun}
            days = fires(world.operator, "30 2 * * *", 60, **fields)
            hours = [(int(late[8:10]) - int(early[8:10])) % 31 for early, late in pairwise(days)]
            assert len(set(days)) == 60
            assert 0 not in hours


@pytest.mark.parametrize(
    ("cron", "said"),
    [
        ("0 0 31 2 *", ("day_of_month", "never_fires", [4, 6])),
        ("60 * * * *", ("minute", "out_of_range", [0, 2])),
        ("* * * * BOB", ("day_of_week", "bad_name", [8, 11])),
        ("*/0 * * * *", ("minute", "bad_step", [2, 3])),
        ("* * *", ("expression", "field_count", [0, 5])),
        ("", ("expression", "empty", None)),
        ("0 9 * * ü", ("expression", "not_ascii", [8, 9])),
        ("R R * * *", ("minute", "unsupported", [0, 1])),
    ],
)
def test_a_bad_expression_is_refused_with_its_place(
    world: World, cron: str, said: tuple[str, str, list[int] | None]
) -> None:
    error = refused(world.operator, cron=cron)

    assert error["pointer"] == "/cron"
    assert (error["field"], error["code"], error["position"]) == said
    assert error["message"]


@pytest.mark.parametrize("zone", ["EST", "Japan", "+05:00", "Etc/GMT-5", "GMT", "europe/paris"])
def test_a_zone_that_is_no_place_is_refused_with_a_suggestion(world: World, zone: str) -> None:
    error = refused(world.operator, cron="0 9 * * *", timezone=zone)

    assert error["pointer"] == "/timezone"
    assert error["suggestion"]


def test_the_zones_that_there_are_can_be_listed(world: World) -> None:
    listed = world.operator.get("/v1/timezones")

    assert {"UTC", "Europe/Paris", "America/New_York"} <= set(listed["timezones"])
    assert "EST" not in listed["timezones"]


def test_a_hash_is_the_same_for_ever_and_of_the_field(world: World) -> None:
    once, again, other = (fires(world.operator, "H H * * *", seed=seed) for seed in ("a", "a", "b"))

    assert once == again
    assert once != other


def test_bounds_are_inclusive(world: World) -> None:
    bounds = {"start_at": "2027-01-01T01:00:00Z", "end_at": "2027-01-01T03:00:00Z"}

    hours = fires(world.operator, "0 * * * *", 10, **bounds)

    assert [each[11:13] for each in hours] == ["01", "02", "03"]


def test_a_preview_shows_the_viewers_time_and_how_often_a_day(world: World) -> None:
    asked = {
        "cron": "0 9 * * *",
        "timezone": NEW_YORK,
        "viewer_timezone": "Asia/Tokyo",
        "from": "2027-01-01T00:00:00Z",
    }

    shown = world.operator.said(200, "POST", "/v1/cron/preview", asked)

    assert "09:00 EST" in shown["fires"][0]["local"]
    assert "23:00 JST" in shown["fires"][0]["viewer"]
    assert shown["per_day"] == {"min": 1, "max": 1}
    assert shown["explanation"] == "At 09:00 every day, America/New_York."


def test_the_coming_fires_of_a_schedule_are_those_of_its_preview(world: World) -> None:
    user = world.tenant()
    when = {"cron": "*/7 3 * * *", "timezone": "Europe/Berlin"}
    user.schedule("sevens", **when)

    shown = user.get("/v1/schedules/sevens/next?count=20&from=2027-01-01T00:00:00Z")

    previewed = fires(user, str(when["cron"]), 20, timezone=when["timezone"])
    assert [each["at"] for each in shown["fires"]] == previewed
