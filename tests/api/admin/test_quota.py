"""A tenant's tasks are counted exactly, also if many callers register at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from onthedot.records.access.api_key import tenant_key
from onthedot.records.access.audit_trail import By
from onthedot.records.problems import Problem
from onthedot.registry import schedule_actions
from onthedot.store import table_reads
from onthedot.store.ids import new_id
from tests.api.kit import SCHEDULE, Api
from tests.schedule.samples import task

ROOM = 20


def left() -> int:
    item = table_reads.get("access", tenant_key("acme")) or {}
    return int(item["tasks_left"])


def by_request(api: Api, number: int) -> By:
    return By(
        tenant_id="acme",
        key_id="key_1",
        request_id=f"req_{number}",
        now_ms=api.now_ms,
        chance=f"{number:016}",
    )


def create(api: Api, number: int) -> str:
    by = by_request(api, number)
    target = {"type": "pull", "queue": "q"}
    shown = {"cron": "0 9 * * *"}
    made = task(task_id=new_id("sch"), name=f"report-{number}", target=target, shown=shown)
    try:
        schedule_actions.create(made, by)
    except Problem as problem:
        return problem.code
    return "made"


def test_fifty_at_once_get_what_there_is_room_for_and_no_more(api: Api) -> None:
    full = tenant_key("acme") | {"tasks_left": ROOM, "recounted_ms": api.now_ms}
    table_reads.put("access", full)

    with ThreadPoolExecutor(10) as pool:
        made = list(pool.map(lambda number: create(api, number), range(50)))

    assert sorted(made) == ["made"] * ROOM + ["quota_exceeded"] * (50 - ROOM)
    assert left() == 0
    assert len(api.call("GET /v1/schedules?limit=50").body["data"]) == ROOM


def test_what_was_not_made_is_given_back(api: Api) -> None:
    api.schedule()
    before = left()

    assert api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}).status == 409

    assert left() == before


def test_what_is_deleted_or_cancelled_makes_room(api: Api) -> None:
    api.schedule()
    made = api.call("POST /v1/tasks", {"target": SCHEDULE["target"], "delay_sec": 900}).body
    before = left()

    for _ in range(2):
        api.call("DELETE /v1/schedules/report")
        api.call(f"POST /v1/tasks/{made['task_id']}/cancel")

    assert left() == before + 2


def test_a_full_quota_is_counted_again_before_it_refuses(api: Api) -> None:
    """Tasks that have run do not tell the counter: a refused request has them counted."""
    api.call("POST /v1/tasks", {"target": SCHEDULE["target"], "delay_sec": 60})
    table_reads.put("access", tenant_key("acme") | {"tasks_left": 0, "tasks_max": 1})
    assert api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}).status == 429

    api.wait(2 * 86_400)

    assert api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}).status == 201


def test_a_schedule_that_many_delete_at_once_makes_room_for_one(api: Api) -> None:
    task_id = str(api.schedule()["task_id"])
    before = left()

    def end(number: int) -> None:
        schedule_actions.end(task_id, by_request(api, number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(end, range(8)))

    assert left() == before + 1
