"""The audit trail: every write is there, the newest first, for the tenant's admins."""

from __future__ import annotations

from tests.api import ran
from tests.api.kit import Api


def told(api: Api, query: str = "") -> list[str]:
    answer = api.call(f"GET /v1/audit{query}")
    assert answer.status == 200, answer.text
    return [each["what"] for each in answer.body["data"]]


def test_it_says_who_did_what_to_what_and_what_it_changed(api: Api) -> None:
    task = api.schedule()
    api.now_ms += 1_000
    api.call("PATCH /v1/schedules/report", {"description": "new"})

    changed, created = api.call("GET /v1/audit?about=" + task["task_id"]).body["data"]

    assert (created["what"], changed["what"]) == ("schedule.created", "schedule.changed")
    assert changed["key_id"].startswith("key_")
    assert changed["request_id"].startswith("req_")
    assert changed["at"] == "2026-11-18T12:00:01.000Z"
    assert changed["after"]["description"] == "new"


def test_acts_on_runs_are_there_too(api: Api) -> None:
    run_id = ran.dead(api)
    api.now_ms += 1
    api.call(f"POST /v1/runs/{run_id}/replay")
    other = ran.triggered(api)
    api.call(f"POST /v1/runs/{other}/cancel")

    assert told(api, f"?about={run_id}") == ["run.replayed", "schedule.triggered"]
    assert told(api, "?what=run.cancelled") == ["run.cancelled"]


def test_a_list_goes_on_over_pages_and_months(api: Api) -> None:
    api.schedule("one")
    api.now_ms += 20 * 86_400_000
    for name in ("two", "three"):
        api.now_ms += 1_000
        api.schedule(name)

    found: list[str] = []
    page = api.call("GET /v1/audit?what=schedule.created&limit=1").body
    for _ in range(20):
        found += [each["after"]["name"] for each in page["data"]]
        if page["next_cursor"] is None:
            break
        page = api.call(
            f"GET /v1/audit?what=schedule.created&limit=1&cursor={page['next_cursor']}"
        ).body

    assert found == ["three", "two", "one"]


def test_only_the_tenants_admins_read_it(api: Api) -> None:
    api.schedule()

    assert api.call("GET /v1/audit", key=api.key("write")).status == 403
    assert api.call("GET /v1/audit", key=api.key("admin", "other")).body["data"] == []
