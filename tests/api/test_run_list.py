"""Runs of all tasks: the last hour by its manifests, and what wants attention."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.adapters import claims
from onthedot.core import keys, moves
from onthedot.core.policy import Again, after, error_of
from onthedot.flows.known import read as known
from tests.api import ran
from tests.api.kit import Api


def listed(api: Api, query: str = "", **more: Any) -> list[str]:
    answer = api.call(f"GET /v1/runs{query}", **more)
    assert answer.status == 200, answer.text
    return [run["run_id"] for run in answer.body["data"]]


def test_the_newest_comes_first_whether_the_audit_has_looked_at_it_or_not(api: Api) -> None:
    ids = []
    for _ in range(3):
        ids.append(ran.triggered(api))
        api.now_ms += 1_000
    ran.looked_at()
    for _ in range(2):
        ids.append(ran.triggered(api))
        api.now_ms += 1_000

    assert listed(api) == ids[::-1]


def test_a_list_goes_on_where_it_stopped_and_ends(api: Api) -> None:
    ids = []
    for place in range(7):
        ids.append(ran.triggered(api))
        api.now_ms += 25_000
        if place == 3:
            ran.looked_at()

    found: list[str] = []
    answer = api.call("GET /v1/runs?limit=2").body
    for _ in range(10):
        found += [run["run_id"] for run in answer["data"]]
        if answer["next_cursor"] is None:
            break
        answer = api.call(f"GET /v1/runs?limit=2&cursor={answer['next_cursor']}").body

    assert found == ids[::-1]


def test_what_is_not_due_yet_or_over_an_hour_old_is_left_out(api: Api) -> None:
    ran.triggered(api)
    ran.looked_at()
    api.now_ms += 65 * 60_000
    api.schedule("each", cron="* * * * *")

    assert listed(api) == []
    api.now_ms += 60_000
    assert len(listed(api)) == 1


def test_a_page_asks_for_the_minutes_not_yet_looked_at_an_hour_its_rows_and_what_may_wait(
    api: Api,
) -> None:
    """Only a page that is not full looks at the hour before."""
    for _ in range(3):
        ran.triggered(api)
    ran.looked_at()
    api.now_ms += 30 * 60_000
    ids = [ran.triggered(api) for _ in range(3)]
    ran.looked_at()
    api.warm()

    page = api.call("GET /v1/runs?limit=2").body
    assert len(page["data"]) == 2
    assert api.trips() == 6 * keys.MANIFESTS + 1 + 1 + 1
    assert len(listed(api)) == 6
    assert api.trips() == 6 * keys.MANIFESTS + 2 + 1 + 1
    assert {run["run_id"] for run in page["data"]} < set(ids)


def test_the_last_hour_reaches_over_three_by_the_clock(api: Api) -> None:
    ids = []
    for minutes in (2, 26, 30):
        ids.append(ran.triggered(api))
        ran.looked_at()
        api.now_ms += minutes * 60_000

    # It is 12:58; what was just listed is looked at after one.
    api.now_ms += 1_000
    ids.append(ran.triggered(api))
    api.now_ms += 1

    assert listed(api) == ids[::-1]


def test_another_tenants_runs_are_not_listed(api: Api) -> None:
    mine = ran.triggered(api)
    ran.looked_at()
    ran.triggered(api)

    assert listed(api, key=api.key("read", "other")) == []
    assert mine in listed(api)


def test_origin_is_looked_at_in_each_row(api: Api) -> None:
    run_id = ran.dead(api)
    again = api.call(f"POST /v1/runs/{run_id}/replay").body["run_id"]

    assert listed(api, "?origin=replay") == [again]


@pytest.mark.parametrize("query", ["status=succeeded", "status=open", "from=2026-11-18T11:00:00Z"])
def test_what_only_a_tasks_own_history_can_answer_says_so(api: Api, query: str) -> None:
    answer = api.call(f"GET /v1/runs?{query}")

    assert (answer.status, answer.body["code"]) == (400, "unsupported_filter")
    assert "task_id" in answer.body["detail"]


def test_a_tasks_own_history_is_filtered_by_status_and_time(api: Api) -> None:
    first = ran.dead(api)
    api.now_ms += 60_000
    second = ran.triggered(api)
    of_task = f"?task_id={first.partition('.')[0]}"

    assert listed(api, of_task) == [second, first]
    assert listed(api, f"{of_task}&status=open") == [second]
    assert listed(api, f"{of_task}&status=failed&origin=manual") == [first]
    assert listed(api, f"{of_task}&to=2026-11-18T12:00:30Z") == [first]
    assert api.call(f"GET /v1/runs{of_task}", key=api.key("read", "other")).status == 404


def test_a_schedules_runs_are_filtered_alike(api: Api) -> None:
    first = ran.dead(api)
    api.now_ms += 60_000
    second = ran.triggered(api)

    for query, wanted in (
        ("", [second, first]),
        ("?status=dead", [first]),
        ("?status=open&origin=manual", [second]),
        ("?from=2026-11-18T12:00:30Z", [second]),
    ):
        answer = api.call(f"GET /v1/schedules/report/runs{query}")
        assert [run["run_id"] for run in answer.body["data"]] == wanted, query
    long = api.call("GET /v1/schedules/report/runs?status=long")
    assert (long.status, long.body["code"]) == (400, "unsupported_filter")


def test_the_dead_are_listed_until_they_are_run_again(api: Api) -> None:
    old = ran.dead(api)
    api.now_ms += 1_000
    new = ran.dead(api)

    assert listed(api, "?status=dead") == [new, old]
    assert api.trips() == 2
    assert listed(api, "?status=dead", key=api.key("read", "other")) == []
    api.call(f"POST /v1/runs/{new}/replay")
    assert listed(api, "?status=dead") == [old]


def test_the_dead_are_listed_by_when_they_died(api: Api) -> None:
    old = ran.dead(api)
    api.now_ms += 3_600_000
    ran.dead(api)

    assert listed(api, "?status=dead&to=2026-11-18T12:30:00Z") == [old]


def test_what_retries_is_listed_until_it_starts_again(api: Api) -> None:
    run_id = ran.triggered(api)
    begun = ran.started(run_id)
    task = known(run_id.partition(".")[0])
    assert task is not None
    answer = Again("failed", error_of("OSError", "no route"), after_sec=60)
    life = after(begun.life, task.task, answer, now_ms=api.now_ms, fraction=0.5)
    claims.write_one(moves.settle(begun, life, now_ms=api.now_ms))

    assert listed(api, "?status=retrying") == [run_id]
    api.now_ms += 60_000
    ran.started(run_id)
    assert listed(api, "?status=retrying") == []


def test_what_takes_long_is_listed_while_it_runs(api: Api) -> None:
    run_id = ran.triggered(api)
    begun = ran.started(run_id)
    claims.write_one(moves.extend(begun, begun.life, long=True, now_ms=api.now_ms))

    assert listed(api, "?status=long") == [run_id]
    ran.settled(run_id, "succeeded")
    assert listed(api, "?status=long") == []
