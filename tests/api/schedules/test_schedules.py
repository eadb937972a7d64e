"""A schedule from its registration to its end, over HTTP."""

from __future__ import annotations

from onthedot.records.tasks.task_spec import spec_key
from onthedot.store import table_reads
from tests.api.kit import SCHEDULE, Api


def test_a_schedule_that_was_registered_is_shown(api: Api) -> None:
    made = api.call("POST /v1/schedules", SCHEDULE | {"name": "report"})
    task_id = made.body["task_id"]

    shown = api.call(f"GET /v1/schedules/{task_id}")

    assert (made.status, shown.status) == (201, 200)
    assert made.headers["location"] == f"/v1/schedules/{task_id}"
    assert shown.body == made.body
    assert shown.body["next_run_at"] == "2026-11-19T09:00:00Z"
    assert shown.headers["etag"] == '"1"'


def test_a_list_shows_the_newest_first_and_goes_on_where_it_stopped(api: Api) -> None:
    for name in ("one", "two", "three"):
        api.now_ms += 1
        api.schedule(name)

    first = api.call("GET /v1/schedules?limit=2").body
    second = api.call(f"GET /v1/schedules?limit=2&cursor={first['next_cursor']}").body

    assert [each["name"] for each in first["data"] + second["data"]] == ["three", "two", "one"]
    assert second["next_cursor"] is None


def test_a_deleted_schedule_is_gone(api: Api) -> None:
    task_id = api.schedule()["task_id"]

    assert api.call(f"DELETE /v1/schedules/{task_id}").status == 204

    assert api.call(f"GET /v1/schedules/{task_id}").status == 404
    assert api.call("GET /v1/schedules").body["data"] == []


def test_a_run_by_hand_is_shown_with_its_own_payload(api: Api) -> None:
    task_id = api.schedule(payload={"region": "eu"})["task_id"]

    run = api.call(f"POST /v1/schedules/{task_id}/trigger", {"payload": {"region": "us"}})

    assert run.status == 202
    shown = api.call(f"GET /v1/runs/{run.body['run_id']}").body
    assert (shown["origin"], shown["status"]) == ("manual", "claimed")
    assert shown["payload"] == {"region": "us"}
    listed = api.call(f"GET /v1/schedules/{task_id}/runs").body["data"]
    assert [each["run_id"] for each in listed] == [run.body["run_id"]]


def test_what_is_due_within_the_look_ahead_is_claimed_before_the_answer(api: Api) -> None:
    made = api.schedule(cron="* * * * *")

    path = f"GET /v1/schedules/{made['task_id']}/runs?status=claimed"
    runs = api.call(path).body["data"]

    assert [each["scheduled_for"] for each in runs] == [
        "2026-11-18T12:02:00Z",
        "2026-11-18T12:01:00Z",
    ]


def test_a_name_stands_for_its_schedule_and_is_free_again_after_its_end(api: Api) -> None:
    first = api.schedule("report")

    refused = api.call("POST /v1/schedules", SCHEDULE | {"name": "report"})
    assert (refused.status, refused.body["code"]) == (409, "name_taken")
    assert first["task_id"] in refused.body["detail"]
    assert api.call("GET /v1/schedules/report").body == first
    assert api.call("DELETE /v1/schedules/report").status == 204
    assert api.schedule("report")["task_id"] != first["task_id"]


def test_a_patch_changes_what_it_names_and_null_is_the_default(api: Api) -> None:
    made = api.schedule(tags={"team": "billing"}, timeout_sec=60, retry={"base_sec": 9})
    api.now_ms += 5000

    patch = {"description": "Finance", "timeout_sec": None, "retry": {"cap_sec": 90}}
    changed = api.call("PATCH /v1/schedules/report", patch)

    assert changed.status == 200
    assert changed.headers["etag"] == '"2"'
    assert changed.body == made | {
        "description": "Finance",
        "timeout_sec": 300,
        "retry": made["retry"] | {"cap_sec": 90},
        "version": 2,
        "updated_at": "2026-11-18T12:00:05.000Z",
    }
    assert api.call("GET /v1/schedules/report").body == changed.body


def test_another_expression_holds_from_now_on(api: Api) -> None:
    api.schedule(cron="0 9 * * *")

    changed = api.call("PATCH /v1/schedules/report", {"cron": None, "every_sec": 86_400})

    assert changed.body["schedule_version"] == 2
    assert changed.body["next_run_at"] == "2026-11-19T00:00:00Z"
    assert changed.body["cron"] is None


def test_a_put_makes_what_is_not_there_and_replaces_what_the_caller_has_seen(api: Api) -> None:
    made = api.call("PUT /v1/schedules/report", SCHEDULE)
    blind = api.call("PUT /v1/schedules/report", SCHEDULE | {"priority": 1})
    only_new = api.call("PUT /v1/schedules/report", SCHEDULE, if_none_match="*")
    stale = api.call("PUT /v1/schedules/report", SCHEDULE, if_match='"7"')
    seen = api.call("PUT /v1/schedules/report", SCHEDULE | {"priority": 1}, if_match='"1"')

    assert (made.status, made.body["name"]) == (201, "report")
    assert (blind.status, blind.body["code"]) == (428, "version_required")
    assert (only_new.status, only_new.body["code"]) == (412, "version_mismatch")
    assert (stale.status, stale.headers["etag"]) == (412, '"1"')
    assert (seen.status, seen.body["priority"], seen.body["version"]) == (200, 1, 2)


def test_what_was_read_can_be_written_back(api: Api) -> None:
    made = api.schedule()

    written = api.call("PUT /v1/schedules/report", made, if_match='"1"')

    assert (written.status, written.body) == (200, made)
    refused = api.call("PATCH /v1/schedules/report", {"task_id": "sch_other"})
    assert (refused.status, refused.body["code"]) == (400, "read_only_field")
    assert refused.body["errors"][0]["pointer"] == "/task_id"


def test_what_the_caller_has_is_not_sent_again(api: Api) -> None:
    api.schedule()

    assert api.call("GET /v1/schedules/report", if_none_match='"1"').status == 304


def test_a_pause_stops_the_coming_fires_and_a_resume_goes_on_from_now(api: Api) -> None:
    api.schedule()

    paused = api.call("POST /v1/schedules/report/pause", {"reason": "INC-42"}).body
    again = api.call("POST /v1/schedules/report/pause").body
    api.now_ms += 3 * 86_400_000
    resumed = api.call("POST /v1/schedules/report/resume").body

    assert (paused["status"], paused["next_run_at"]) == ("paused", None)
    assert paused["would_run_at"] == "2026-11-19T09:00:00Z"
    assert paused["paused"]["reason"] == "INC-42"
    assert again == paused
    assert (resumed["status"], resumed["paused"]) == ("active", None)
    slots = api.call("GET /v1/schedules/report/slots?from=2026-11-18T00:00:00Z").body["data"]
    assert [(slot["status"], slot["reason"]) for slot in slots[:3]] == [("skipped", "paused")] * 3


def test_a_resume_that_would_catch_up_shows_its_plan_first(api: Api) -> None:
    api.schedule()
    api.call("POST /v1/schedules/report/pause")
    api.now_ms += 3 * 86_400_000

    plan = api.call("POST /v1/schedules/report/resume", {"catchup": "all"})
    token = plan.body["plan_token"]
    still = api.call("GET /v1/schedules/report").body["status"]
    other = api.call(f"POST /v1/schedules/report/resume?plan_token={token}", {"catchup": "latest"})
    done = api.call(f"POST /v1/schedules/report/resume?plan_token={token}", {"catchup": "all"})

    days = ["2026-11-19T09:00:00Z", "2026-11-20T09:00:00Z", "2026-11-21T09:00:00Z"]
    assert plan.body["effects"]["will_run"] == days
    assert plan.body["effects"]["count"] == 3
    order = "oldest first, one at a time; misfire_grace_sec does not apply to them"
    assert plan.body["effects"]["order"] == order
    assert still == "paused"
    assert (other.status, other.body["code"]) == (409, "plan_stale")
    assert (done.status, done.body["status"]) == (200, "active")
    runs = api.call("GET /v1/schedules/report/runs").body["data"]
    caught_up = [run["scheduled_for"] for run in runs if run["origin"] == "catchup"]
    assert caught_up == days[::-1]


def test_a_grace_that_is_too_short_to_act_is_warned_of(api: Api) -> None:
    short = api.schedule(misfire_grace_sec=89)
    target = SCHEDULE["target"]
    task = api.call("POST /v1/tasks", {"target": target, "misfire_grace_sec": 0}).body

    (warned,) = [each for each in short["warnings"] if each["code"] == "grace_short"]
    assert warned["detail"].startswith("misfire_grace_sec is 89 and acts as 90:")
    assert "grace_short" in {each["code"] for each in task["warnings"]}
    enough = api.call("PATCH /v1/schedules/report", {"misfire_grace_sec": 90}).body
    assert "grace_short" not in {each["code"] for each in enough["warnings"]}


def test_a_dry_run_says_what_would_happen_and_does_nothing(api: Api) -> None:
    plan = api.call("POST /v1/schedules?dry_run=true", SCHEDULE | {"name": "report"})
    assert plan.status == 200
    assert plan.body["effects"]["schedule"]["next_run_at"] == "2026-11-19T09:00:00Z"
    assert api.call("GET /v1/schedules").body["data"] == []

    token = plan.body["plan_token"]
    made = api.call(f"POST /v1/schedules?plan_token={token}", SCHEDULE | {"name": "report"})

    assert made.status == 201
    again = api.call(f"POST /v1/schedules?plan_token={token}", SCHEDULE | {"name": "report"})
    assert (again.status, again.body) == (201, made.body)
    other = api.call(f"POST /v1/schedules?plan_token={token}", SCHEDULE | {"name": "other"})
    assert (other.status, other.body["code"]) == (409, "plan_stale")


def test_a_schedule_that_was_set_aside_is_shown_and_an_edit_heals_it(api: Api) -> None:
    task_id = api.schedule()["task_id"]
    spoiled = {"compiled": b"\xff", "status": "invalid"}
    table_reads.put("tasks", (table_reads.get("tasks", spec_key(task_id)) or {}) | spoiled)

    shown = api.call("GET /v1/schedules/report")
    healed = api.call("PATCH /v1/schedules/report", {"description": "again"})

    assert (shown.status, shown.body["status"]) == (200, "invalid")
    assert shown.body["next_run_at"] is None
    assert (healed.status, healed.body["status"]) == (200, "active")
    assert healed.body["next_run_at"] == "2026-11-19T09:00:00Z"


def test_a_put_by_name_renames_nothing(api: Api) -> None:
    refused = api.call("PUT /v1/schedules/report", SCHEDULE | {"name": "other"})

    assert (refused.status, refused.body["code"]) == (422, "invalid_field")
    assert api.call("GET /v1/schedules").body["data"] == []


def test_a_status_changes_by_a_pause_and_by_nothing_else(api: Api) -> None:
    made = api.schedule(status="paused")

    refused = api.call("PATCH /v1/schedules/report", {"status": "active"})

    assert (made["status"], made["paused"]["reason"]) == ("paused", None)
    assert (refused.status, refused.body["code"]) == (400, "read_only_field")
    assert api.call("PATCH /v1/schedules/report", {"status": "paused"}).status == 200
    assert api.call("POST /v1/schedules/report/resume").body["status"] == "active"


def test_filters_find_what_they_name(api: Api) -> None:
    api.schedule("daily-report", tags={"team": "billing"})
    api.now_ms += 1
    api.schedule("other", managed_by="file:ops", target={"type": "sns", "topic_arn": "arn:aws:x"})

    def names(query: str) -> list[str]:
        return [each["name"] for each in api.call(f"GET /v1/schedules?{query}").body["data"]]

    assert names("tag=team") == names("tag=team:billing") == names("q=REP") == ["daily-report"]
    assert names("handler=hello") == names("target=python") == ["daily-report"]
    assert names("managed_by=file:ops") == names("target=sns") == ["other"]
    assert names("tag=team:sales") == names("status=paused") == []
    assert names("status=active") == ["other", "daily-report"]


def test_every_slot_is_shown_with_its_outcome_under_the_schedule_of_its_time(api: Api) -> None:
    api.schedule(every_sec=3600, cron=None)
    api.wait(7_500)
    api.call("PATCH /v1/schedules/report", {"every_sec": 7200})

    query = "from=2026-11-18T12:00:00Z&to=2026-11-18T17:00:00Z"
    slots = api.call(f"GET /v1/schedules/report/slots?{query}").body["data"]

    assert [(slot["scheduled_for"][11:16], slot["status"], slot["reason"]) for slot in slots] == [
        ("13:00", "missed", "unaccounted"),
        ("14:00", "missed", "unaccounted"),
        ("16:00", "upcoming", None),
    ]


def test_the_coming_fires_are_those_of_the_preview(api: Api) -> None:
    api.schedule(cron="30 2 * * *", timezone="Europe/Berlin")

    query = "count=2&from=2027-03-27T00:00:00Z"
    fires = api.call(f"GET /v1/schedules/report/next?{query}").body["fires"]

    assert [fire["at"] for fire in fires] == ["2027-03-27T01:30:00Z", "2027-03-28T01:00:00Z"]
    assert fires[1]["note_code"] == "dst_gap_moved"
