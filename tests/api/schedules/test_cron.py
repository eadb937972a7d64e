"""A schedule before it is saved: the same answer as the command line's."""

from __future__ import annotations

from tests.api.kit import Api


def test_a_preview_shows_what_the_clock_does_to_a_schedule(api: Api) -> None:
    shown = api.call(
        "POST /v1/cron/preview",
        {
            "cron": "30 2 * * *",
            "timezone": "Europe/Berlin",
            "viewer_timezone": "America/New_York",
            "from": "2027-03-27T00:00:00Z",
            "count": 2,
        },
    ).body

    assert shown["explanation"] == "At 02:30 every day, Europe/Berlin."
    assert [fire["at"] for fire in shown["fires"]] == [
        "2027-03-27T01:30:00Z",
        "2027-03-28T01:00:00Z",
    ]
    assert shown["fires"][1]["note_code"] == "dst_gap_moved"
    assert shown["fires"][0]["viewer"] == "Fri 2027-03-26 21:30 EDT"
    assert shown["per_day"] == {"min": 1, "max": 1}


def test_a_mistake_is_shown_where_it_stands_with_what_to_write_instead(api: Api) -> None:
    refused = api.call("POST /v1/cron/preview", {"cron": "0 9 31 2 *"})

    assert (refused.status, refused.body["code"]) == (422, "invalid_schedule")
    (error,) = refused.body["errors"]
    assert (error["pointer"], error["code"], error["position"]) == ("/cron", "never_fires", [4, 6])
    assert error["suggestion"] is not None


def test_an_unknown_zone_is_refused_with_the_place_that_was_meant(api: Api) -> None:
    refused = api.call("POST /v1/cron/preview", {"cron": "@daily", "timezone": "EST"})

    (error,) = refused.body["errors"]
    assert (error["pointer"], error["suggestion"]) == ("/timezone", "America/New_York")


def test_a_preview_tells_how_many_fire_in_the_same_minute(api: Api) -> None:
    for name, cron in (("one", "0 9 * * *"), ("two", "30 0 9 * * *"), ("three", "1 9 * * *")):
        api.schedule(name, cron=cron)

    shown = api.call("POST /v1/cron/preview", {"cron": "0 9 * * *"}).body

    assert shown["collisions"] == {"same_minute": 2, "complete": True}


def test_the_zones_are_those_that_a_schedule_may_have(api: Api) -> None:
    zones = api.call("GET /v1/timezones").body["timezones"]

    assert "Europe/Berlin" in zones
    assert "UTC" in zones
    assert "EST" not in zones


def test_a_preview_heeds_calendars_as_the_schedule_would(api: Api) -> None:
    api.call("POST /v1/calendars", {"calendar_id": "holidays", "dates": ["2026-11-19"]})
    wanted = {"cron": "0 9 * * *", "calendars": ["holidays"], "count": 1}

    (fire,) = api.call("POST /v1/cron/preview", wanted).body["fires"]
    refused = api.call("POST /v1/cron/preview", wanted | {"calendars": ["nope"]})

    assert fire["at"] == "2026-11-20T09:00:00Z"
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (422, "/calendars")
