"""A schedule that has fired all it could says so wherever it is shown; an edit revives it."""

from __future__ import annotations

from typing import Any

import pytest

from lambdas.audit import handler as audited
from onthedot.api.views import agenda_source
from onthedot.upkeep import completed_schedules
from tests.api import ran
from tests.api.kit import SCHEDULE, Api

EVERY_3: dict[str, Any] = {"cron": "*/3 * * * * *", "max_runs": 4}


def shown(api: Api, name: str = "report") -> Any:
    answer = api.call(f"GET /v1/schedules/{name}")
    assert answer.status == 200
    return answer.body


def names(api: Api, status: str) -> list[str]:
    found = api.call(f"GET /v1/schedules?status={status}").body["data"]
    return [each["name"] for each in found]


def ran_out(api: Api, **fields: Any) -> Any:
    """Returns four runs of every third second after noon, all succeeded, and a
    look by the audit.
    """
    made = api.schedule(**(EVERY_3 | fields))
    api.wait(30)
    for run in api.call("GET /v1/schedules/report/runs").body["data"]:
        ran.started(run["run_id"])
        ran.settled(run["run_id"], "succeeded")
    assert completed_schedules.note() == {"completed": 1}
    agenda_source.forget()
    return made


def test_used_up_runs_are_completed_in_answer_list_filter_and_all_that_comes(api: Api) -> None:
    ran_out(api)

    found = shown(api)
    assert (found["status"], found["runs_left"], found["next_run_at"]) == ("completed", 0, None)
    assert found["last_run"]["scheduled_for"] == "2026-11-18T12:00:12Z"
    (entry,) = api.call("GET /v1/schedules").body["data"]
    assert (entry["status"], entry["next_run_at"]) == ("completed", None)
    assert entry["last_run"] == found["last_run"]
    assert names(api, "completed") == ["report"]
    assert names(api, "active") == []
    assert api.call("GET /v1/schedules/report/next").body["fires"] == []
    assert api.call("GET /v1/upcoming").body["data"] == []
    assert api.call("GET /v1/upcoming/heat").body["total"] == 0


def test_the_audits_minute_notes_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.schedule(**EVERY_3)
    api.wait(30)
    for run in api.call("GET /v1/schedules/report/runs").body["data"]:
        ran.started(run["run_id"])
        ran.settled(run["run_id"], "succeeded")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "onthedot")
    monkeypatch.setattr("onthedot.upkeep.payload_sweep.step", lambda _sec: None)
    monkeypatch.setattr("onthedot.upkeep.queue_depth.waiting", lambda: 0)

    assert audited({}, None)["completed"] == 1

    assert shown(api)["status"] == "completed"


def test_what_is_claimed_already_is_still_to_come_and_nothing_else(api: Api) -> None:
    made = api.schedule(**EVERY_3)

    assert (made["status"], made["runs_left"]) == ("active", 0)
    assert made["next_run_at"] == "2026-11-18T12:00:03Z"
    fires = api.call("GET /v1/schedules/report/next?count=9").body["fires"]
    assert [fire["at"][17:19] for fire in fires] == ["03", "06", "09", "12"]
    api.wait(12)
    assert shown(api)["next_run_at"] is None
    assert completed_schedules.note() == {"completed": 0}


def test_next_lists_no_more_than_are_left(api: Api) -> None:
    api.schedule(cron="0 9 * * *", max_runs=3)

    fires = api.call("GET /v1/schedules/report/next?count=9").body["fires"]
    late = api.call("GET /v1/schedules/report/next?from=2026-11-20T10:00:00Z").body["fires"]

    assert [fire["at"][8:10] for fire in fires] == ["19", "20", "21"]
    assert [fire["at"][8:10] for fire in late] == ["21"]


def test_runs_left_counts_what_is_not_claimed_in_every_answer(api: Api) -> None:
    far = SCHEDULE | {"name": "far", "max_runs": 3}
    planned = api.call("POST /v1/schedules?dry_run=true", far).body["effects"]
    assert planned["schedule"]["runs_left"] == 3
    assert api.schedule(cron="* * * * *", max_runs=5)["runs_left"] == 3

    dry = api.call("PATCH /v1/schedules/report?dry_run=true", {"max_runs": 10}).body
    assert dry["effects"]["schedule"]["runs_left"] == 8
    assert api.call("PATCH /v1/schedules/report", {"max_runs": 10}).body["runs_left"] == 8
    assert shown(api)["runs_left"] == 8


def test_the_slots_of_a_completed_one_end_with_its_last_run(api: Api) -> None:
    ran_out(api)
    api.wait(3_600)

    found = api.call("GET /v1/schedules/report/slots").body["data"]

    assert [slot["status"] for slot in found] == ["succeeded"] * 4


def test_the_note_leaves_the_version_so_that_an_edit_that_saw_it_before_holds(api: Api) -> None:
    made = ran_out(api)

    answer = api.call(
        "PATCH /v1/schedules/report", {"description": "new"}, if_match=f'"{made["version"]}"'
    )

    assert (answer.status, answer.body["status"]) == (200, "completed")


def test_more_runs_make_it_active_and_a_plan_says_so_before(api: Api) -> None:
    ran_out(api)

    dry = api.call("PATCH /v1/schedules/report?dry_run=true", {"max_runs": 6}).body
    planned = dry["effects"]["schedule"]
    changed = api.call("PATCH /v1/schedules/report", {"max_runs": 6}).body

    assert (planned["status"], planned["runs_left"]) == ("active", 2)
    assert (changed["status"], changed["next_run_at"]) == ("active", "2026-11-18T12:00:33Z")
    assert planned["next_run_at"] == changed["next_run_at"]
    assert names(api, "active") == ["report"]


def test_an_end_that_is_over_is_completed_from_the_start_and_by_a_plan(api: Api) -> None:
    bounds = {"cron": "* * * * *", "end_at": "2026-11-18T11:00:00Z"}
    target = {"type": "python", "handler": "hello"}

    dry = api.call("POST /v1/schedules?dry_run=true", {"name": "a", "target": target, **bounds})
    made = api.schedule("over", **bounds)

    assert dry.body["effects"]["schedule"]["status"] == made["status"] == "completed"
    assert names(api, "completed") == ["over"]
    later = api.call("PATCH /v1/schedules/over", {"end_at": "2026-11-18T18:00:00Z"}).body
    assert (later["status"], later["next_run_at"]) == ("active", "2026-11-18T12:01:00Z")


def test_a_paused_one_with_nothing_left_stays_paused(api: Api) -> None:
    api.schedule(cron="* * * * *", end_at="2026-11-18T12:01:00Z", status="paused")
    api.wait(300)

    assert completed_schedules.note() == {"completed": 0}
    assert names(api, "paused") == ["report"]
    assert shown(api)["would_run_at"] is None
    assert api.call("POST /v1/schedules/report/resume").status == 200
    assert completed_schedules.note() == {"completed": 1}


def test_a_completed_one_takes_triggers_pauses_and_a_put_of_what_it_shows(api: Api) -> None:
    ran_out(api)
    present = shown(api)

    assert api.call("POST /v1/schedules/report/trigger").status == 202
    assert shown(api)["status"] == "completed"
    put = api.call("PUT /v1/schedules/report", present, if_match="*")
    assert (put.status, put.body["status"]) == (200, "completed")
    assert api.call("POST /v1/schedules/report/resume").body["status"] == "completed"
    assert api.call("POST /v1/schedules/report/pause").body["status"] == "paused"
    assert api.call("DELETE /v1/schedules/report").status == 204


def test_an_ordinary_schedule_has_no_line_and_a_bounded_one_has_one_once(api: Api) -> None:
    api.schedule("plain", cron="* * * * *")
    api.schedule("bounded", cron="0 9 * * *", max_runs=2)
    assert _lines() == []

    api.schedule("near", **EVERY_3)

    assert len(_lines()) == 1


def _lines() -> list[Any]:
    listed = completed_schedules._listed()  # noqa: SLF001  # what the audit finds
    return [line for lines in listed.values() for line in lines]


def test_instants_before_which_nothing_may_happen_are_rounded_up(api: Api) -> None:
    target = {"type": "python", "handler": "hello"}
    task = api.call("POST /v1/tasks", {"run_at": "2026-11-18T12:10:00.700Z", "target": target})
    assert task.body["run_at"] == "2026-11-18T12:10:01Z"

    bounds = {"start_at": "2026-11-18T13:00:00.001Z", "end_at": "2026-11-18T14:00:00.999Z"}
    made = api.schedule(cron="0 * * * *", **bounds)
    assert made["start_at"] == "2026-11-18T13:00:01Z"
    assert made["end_at"] == "2026-11-18T14:00:00Z"
    assert made["next_run_at"] == "2026-11-18T14:00:00Z"

    due = api.call("POST /v1/schedules/report/trigger", {"due_at": "2026-11-18T12:30:00.5Z"})
    assert due.body["due_at"] == "2026-11-18T12:30:01.000Z"
    paused = api.call("POST /v1/schedules/report/pause", {"until": "2026-11-18T15:00:00.5Z"})
    assert paused.body["paused"]["until"] == "2026-11-18T15:00:01.000Z"


def test_the_explanation_names_calendars_and_the_number_of_runs(api: Api) -> None:
    api.call("PUT /v1/calendars/holidays", {"dates": ["2026-12-25"]})
    said = "At 09:00 every day, UTC. At most 3 runs. Never in holidays."

    made = api.schedule(cron="0 9 * * *", max_runs=3, calendars=["holidays"])
    preview = api.call(
        "POST /v1/cron/preview", {"cron": "0 9 * * *", "max_runs": 3, "calendars": ["holidays"]}
    ).body

    assert made["explanation"] == preview["explanation"] == said
    assert len(preview["fires"]) == 3


def test_a_list_with_completed_ones_costs_one_trip_more(api: Api) -> None:
    ran_out(api)
    api.warm()

    api.call("GET /v1/schedules")

    assert api.trips() <= 3


def test_a_paused_one_with_runs_left_would_run_and_a_resumes_plan_says_when(api: Api) -> None:
    api.schedule(cron="0 9 * * *", max_runs=2)
    api.call("POST /v1/schedules/report/pause")
    api.wait(7 * 86_400)

    found = shown(api)
    planned = api.call("POST /v1/schedules/report/resume?dry_run=true").body["effects"]
    fires = api.call("GET /v1/schedules/report/next?count=9").body["fires"]

    assert (found["runs_left"], found["would_run_at"]) == (2, "2026-11-26T09:00:00Z")
    assert planned["next_run_at"] == "2026-11-26T09:00:00Z"
    assert [fire["at"][8:10] for fire in fires] == ["26", "27"]


def test_a_resume_that_finds_nothing_left_plans_no_fire(api: Api) -> None:
    ran_out(api)
    api.call("POST /v1/schedules/report/pause")

    planned = api.call("POST /v1/schedules/report/resume?dry_run=true").body["effects"]

    assert planned["next_run_at"] is None


def test_what_a_calendar_excludes_is_no_fire(api: Api) -> None:
    api.call("PUT /v1/calendars/holidays", {"dates": ["2026-11-19"]})
    made = api.schedule(cron="0 9 * * *", calendars=["holidays"])

    fires = api.call("GET /v1/schedules/report/next?count=2").body["fires"]

    assert [fire["at"][8:10] for fire in fires] == ["20", "21"]
    assert made["next_run_at"] == fires[0]["at"]
