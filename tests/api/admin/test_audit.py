"""The audit trail: every write is there, the newest first, for the tenant's admins."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from onthedot.records.access.api_key import TABLE
from onthedot.records.access.audit_trail import By, insert
from onthedot.store import table_reads
from tests.api import ran
from tests.api.kit import SCHEDULE, Answer, Api


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


def pages(api: Api, query: str) -> list[Any]:
    """Returns the bodies of all pages."""
    found = [api.call(f"GET /v1/audit?{query}").body]
    while found[-1]["next_cursor"]:
        found.append(api.call(f"GET /v1/audit?{query}&cursor={found[-1]['next_cursor']}").body)
    return found


def faces(first: str = "") -> dict[str, str]:
    """Returns a target with 65,000 letters of four bytes: within each limit, and much for an
    item.
    """
    body = first + "\U0001f600" * (65_000 - len(first))
    return {"type": "http", "url": "https://example.com/", "body": body}


def sent(api: Api, route: str, body: dict[str, Any], **headers: str) -> Answer:
    """Sends each letter by its own bytes, as most clients do."""
    return api.call(route, json.dumps(body, ensure_ascii=False), **headers)


def test_a_change_of_a_large_target_is_a_small_line_that_tells_them_apart(api: Api) -> None:
    named = SCHEDULE | {"name": "report"}
    made = sent(api, "POST /v1/schedules", named | {"target": faces()})
    put = sent(api, "PUT /v1/schedules/report", named | {"target": faces("new")}, if_match="*")

    assert (made.status, put.status) == (201, 200), put.text
    line = api.call("GET /v1/audit?what=schedule.changed")
    assert len(line.text) < 2_000
    (said,) = line.body["data"]
    before, after = said["before"]["target"], said["after"]["target"]
    assert before["url"] == after["url"] == "https://example.com/"
    assert "(260,000 bytes, SHA-256 " in before["body"]
    assert after["body"].startswith("new")


def test_many_large_fields_at_once_leave_a_line_of_bounded_size(api: Api) -> None:
    face = "\U0001f600"
    tags = {f"{number}{face * 62}": face * 128 for number in range(20)}
    headers = {f"x-{number}": "h" * 900 for number in range(30)}
    given = {"tags": tags, "target": faces() | {"headers": headers}, "description": "d" * 1_000}
    answer = sent(api, "POST /v1/schedules", SCHEDULE | {"name": "report"} | given)

    assert answer.status == 413
    given["target"] = {**faces(), "headers": headers, "body": "b"}
    assert sent(api, "POST /v1/schedules", SCHEDULE | {"name": "report"} | given).status == 201

    (line,) = api.call("GET /v1/audit?what=schedule.created").body["data"]
    assert len(json.dumps(line["after"], ensure_ascii=False).encode()) < 10_000
    assert line["after"]["tags"].startswith("(15,")
    assert line["after"]["target"].startswith("(27,")
    assert line["after"]["description"] == "d" * 1_000


def test_a_page_ends_at_a_megabyte_and_goes_on(api: Api) -> None:
    """Lines of the former version hold whole targets."""
    by = By(tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=0, chance="C" * 16)
    for number in range(8):
        then = replace(by, now_ms=api.now_ms - number)
        line = insert(then, "schedule.changed", f"sch_{number}")
        table_reads.put(TABLE, {**line.item, "before": {"target": {"body": "x" * 300_000}}})

    found = pages(api, "what=schedule.changed&limit=200")

    assert [len(page["data"]) for page in found] == [4, 4]
    abouts = [line["about"] for page in found for line in page["data"]]
    assert abouts == [f"sch_{number}" for number in range(8)]


def test_what_does_not_fit_into_an_item_of_the_store_is_refused_by_its_bytes(api: Api) -> None:
    named = SCHEDULE | {"name": "report"}
    assert sent(api, "POST /v1/schedules", named | {"target": faces()}).status == 201
    headers = {f"x-{number}": "h" * 1_000 for number in range(30)}

    answer = api.call("PATCH /v1/schedules/report", {"target": {"headers": headers}})

    assert (answer.status, answer.body["code"]) == (413, "payload_too_large")
    assert "bytes: expected 280,000 at most" in answer.body["detail"]
