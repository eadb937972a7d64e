"""Pausing for a while, and what is said of it afterwards."""

from __future__ import annotations

import pytest

from onthedot.api.replies.schedule_replies import Schedule
from onthedot.upkeep.pauses_due import end_those_due
from tests.api.kit import Api

PAUSE = "POST /v1/schedules/report/pause"
HOUR_MS = 3_600_000


def test_a_pause_shows_its_end_and_the_slots_behind_it_are_to_come(api: Api) -> None:
    api.schedule(cron="0 * * * *")

    paused = api.call(PAUSE, {"reason": "INC-42", "until": "2026-11-18T15:30:00+01:00"})

    assert paused.status == 200, paused.text
    assert paused.body["paused"]["until"] == "2026-11-18T14:30:00.000Z"
    assert paused.body["paused"]["reason"] == "INC-42"
    assert Schedule.model_validate(paused.body).model_dump()["paused"]
    route = "GET /v1/schedules/report/slots?from=2026-11-18T12:30:00Z&to=2026-11-18T16:00:00Z"
    slots = api.call(route).body["data"]
    assert [slot["reason"] for slot in slots] == ["paused", "paused", None, None]


def test_it_goes_on_by_itself_and_the_trail_says_who_resumed_it(api: Api) -> None:
    made = api.schedule(cron="0 * * * *")
    api.now_ms += 1
    api.call(PAUSE, {"until": "2026-11-18T14:00:00Z"})
    api.now_ms += 2 * HOUR_MS - 30_000

    end_those_due()

    after = api.call("GET /v1/schedules/report").body
    assert (after["status"], after["paused"]) == ("active", None)
    assert after["next_run_at"] == "2026-11-18T14:00:00Z"
    resumed, paused, _ = api.call("GET /v1/audit").body["data"]
    assert (resumed["what"], resumed["key_id"]) == ("schedule.resumed", "system")
    assert (resumed["about"], resumed["at"]) == (made["task_id"], "2026-11-18T14:00:00.000Z")
    assert paused["after"]["paused"]["until"] == "2026-11-18T14:00:00.000Z"


def test_the_trail_goes_on_over_pages_whoever_did_it(api: Api) -> None:
    api.schedule(cron="0 * * * *")
    api.now_ms += 1
    for hour in (13, 14):
        api.call(PAUSE, {"until": f"2026-11-18T{hour}:00:00Z"})
        api.now_ms += HOUR_MS
        end_those_due()
        api.now_ms += 1_000

    found, cursor = [], ""
    while True:
        page = api.call(f"GET /v1/audit?limit=1{cursor}").body
        found += [line["what"].removeprefix("schedule.") for line in page["data"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert found == ["resumed", "paused", "resumed", "paused", "created"]


def test_who_comes_before_the_end_wins(api: Api) -> None:
    api.schedule(cron="0 * * * *")
    api.call(PAUSE, {"until": "2026-11-18T13:00:00Z"})

    assert api.call(PAUSE, {"until": "2026-11-18T14:00:00Z"}).body["version"] == 3
    assert api.call(PAUSE, {"until": "2026-11-18T14:00:00Z"}).body["version"] == 3
    forever = api.call(PAUSE, {"reason": "for good"}).body
    assert forever["paused"]["until"] is None
    api.now_ms += 3 * HOUR_MS
    end_those_due()

    assert api.call("GET /v1/schedules/report").body["status"] == "paused"


def test_an_end_that_nobody_wrote_down_holds_for_the_next_call(api: Api) -> None:
    api.schedule(cron="0 * * * *")
    api.call(PAUSE, {"until": "2026-11-18T13:30:00Z"})
    api.now_ms += 4 * HOUR_MS

    resumed = api.call("POST /v1/schedules/report/resume").body

    assert resumed["status"] == "active"
    slots = api.call("GET /v1/schedules/report/slots?to=2026-11-18T16:00:00Z").body["data"]
    at = {slot["scheduled_for"][11:16]: slot["reason"] for slot in slots}
    assert (at["13:00"], at["14:00"]) == ("paused", "outside_grace")


@pytest.mark.parametrize("until", ["2026-11-18T12:00:00Z", "2026-11-18T13:00:00", "soon"])
def test_an_end_that_is_over_or_no_instant_is_refused(api: Api, until: str) -> None:
    api.schedule()

    refused = api.call(PAUSE, {"until": until})

    assert (refused.status, refused.body["code"]) == (422, "invalid_field")
    assert refused.body["errors"][0]["pointer"] == "/until"
    assert api.call("GET /v1/schedules/report").body["status"] == "active"


def test_a_dry_run_says_until_when(api: Api) -> None:
    api.schedule()

    plan = api.call(f"{PAUSE}?dry_run=true", {"until": "2026-11-18T13:00:00Z"}).body

    assert plan["effects"]["until"] == "2026-11-18T13:00:00.000Z"
