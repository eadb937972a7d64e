"""Runs of all tasks: the last hour by its manifests, and what wants attention."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.api.views.slot_view import Recorded
from onthedot.records import keys
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import ended
from onthedot.records.runs.run_status import Reason, Status
from onthedot.store import conditional_writer, table_reads
from onthedot.store.tasks import read as known
from onthedot.targets.attempt_outcome import Again, after, error_of
from onthedot.upkeep import recent_runs
from onthedot.upkeep.claims_audit import audit
from tests.api import hour_lists, ran
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


def test_a_page_asks_how_far_the_audit_is_the_minutes_since_an_hour_its_rows_and_what_may_wait(
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
    assert api.trips() == 1 + 6 * keys.MANIFESTS + 1 + 1 + 1
    assert len(listed(api)) == 6
    assert api.trips() == 1 + 6 * keys.MANIFESTS + 2 + 1 + 1
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


def test_what_an_audit_that_stands_still_has_not_looked_at_is_listed(api: Api) -> None:
    ran.looked_at()
    run_id = ran.triggered(api)
    api.now_ms += 20 * 60_000

    assert listed(api) == [run_id]


def test_runs_stand_by_when_they_were_due_whenever_they_were_listed(api: Api) -> None:
    """A run that is found late stands where it belongs, and so does what waits for its jitter."""
    task_id = api.schedule("report")["task_id"]
    now_ms = api.now_ms
    late = hour_lists.made(task_id, now_ms - 1_800_000, listed_ms=now_ms)
    spread = hour_lists.made(
        task_id, now_ms - 90_000, listed_ms=now_ms - 120_000, due_ms=now_ms - 30_000
    )
    plain = hour_lists.made(task_id, now_ms - 60_000, listed_ms=now_ms - 180_000)
    hour_lists.made(task_id, now_ms - 60_000, listed_ms=now_ms - 120_000, again=True)

    assert listed(api) == [spread, plain, late]
    audit()
    assert listed(api) == [spread, plain, late]
    page = api.call("GET /v1/runs?limit=2").body
    assert listed(api, f"?limit=2&cursor={page['next_cursor']}") == [late]


def test_a_run_whose_due_time_an_edit_moved_is_listed_at_it_once_it_is_over(api: Api) -> None:
    task_id = api.schedule("report")["task_id"]
    moved = hour_lists.made(task_id, api.now_ms - 120_000, listed_ms=api.now_ms - 180_000)
    row = ran.read(moved)
    life = replace(row.life, due_ms=api.now_ms - 100_000)
    table_reads.put("runs", run_writes.insert(replace(row, life=life), now_ms=api.now_ms).item)

    audit()

    (found,) = api.call("GET /v1/runs").body["data"]
    assert (found["run_id"], found["due_at"]) == (moved, "2026-11-18T11:58:20.000Z")


def test_what_is_to_come_is_listed_where_it_is_asked_for(api: Api) -> None:
    api.schedule("each", cron="* * * * *")

    coming = ["2026-11-18T12:02:00.000Z", "2026-11-18T12:01:00.000Z"]
    for route in ("GET /v1/runs", "GET /v1/schedules/each/runs"):
        for query, due in (
            ("", []),
            ("?status=claimed", coming),
            ("?to=2026-11-18T12:01:30Z", coming[1:]),
        ):
            found = api.call(f"{route}{query}").body["data"]
            assert [run["due_at"] for run in found] == due, (route, query)
    api.call("DELETE /v1/schedules/each", if_match="*")
    assert listed(api) == []


def test_a_list_that_reaches_into_the_future_goes_on_from_there(api: Api) -> None:
    """A blackout is recorded hours ahead."""
    task_id = api.schedule()["task_id"]
    rows = [hour_lists.claimed(task_id, api.now_ms + 3_600_000 * ahead) for ahead in (1, 2)]
    conditional_writer.surely([run_writes.insert(row, now_ms=api.now_ms) for row in rows])

    for query in ("to=2026-11-18T15:00:00Z", "status=claimed"):
        path = f"GET /v1/schedules/report/runs?{query}&limit=1"
        first = api.call(path).body
        second = api.call(f"{path}&cursor={first['next_cursor']}").body
        found = [run["run_id"] for page in (first, second) for run in page["data"]]
        assert found == [rows[1].run_id, rows[0].run_id]


def test_a_filtered_page_is_full_though_few_rows_fit(api: Api) -> None:
    died = []
    for _ in range(3):
        died.append(ran.dead(api))
        api.now_ms += 1_000
    task_id = died[0].partition(".")[0]
    for place in range(150):
        hour_lists.made(task_id, api.now_ms - 1_000 * (place + 2), listed_ms=api.now_ms - 200_000)

    for route in (
        f"GET /v1/runs?task_id={task_id}&",
        "GET /v1/runs?",
        "GET /v1/schedules/report/runs?",
    ):
        found = api.call(f"{route}origin=manual&limit=2").body
        assert [run["run_id"] for run in found["data"]] == died[:0:-1]
        rest = api.call(f"{route}origin=manual&limit=2&cursor={found['next_cursor']}").body
        assert [run["run_id"] for run in rest["data"]] == died[:1]
        assert rest["next_cursor"] is None


def test_a_page_that_has_looked_at_a_thousand_runs_is_short_and_goes_on(api: Api) -> None:
    run_id = ran.dead(api)
    task_id = run_id.partition(".")[0]
    slots = [api.now_ms + 1_000 * (place + 1) for place in range(1_100)]
    rows = [hour_lists.claimed(task_id, slot) for slot in slots]
    conditional_writer.surely([run_writes.insert(row, now_ms=api.now_ms) for row in rows])
    api.now_ms += 1_200_000
    api.warm()

    page = api.call(f"GET /v1/runs?task_id={task_id}&origin=manual").body
    assert page["data"] == []
    assert api.trips() <= 35
    assert listed(api, f"?task_id={task_id}&origin=manual&cursor={page['next_cursor']}") == [run_id]


def test_a_walk_that_has_asked_enough_ends_its_page_early_and_goes_on(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of others may stand between a tenant's runs: they cost a page no end of reads."""
    monkeypatch.setattr(recent_runs, "QUERIES_MAX", 0)
    task_id = api.schedule()["task_id"]
    now_ms = api.now_ms
    due = [now_ms - 60_000 * minute - 30_000 for minute in range(3, 9)]
    ids = [hour_lists.made(task_id, due_ms, listed_ms=due_ms - 90_000) for due_ms in due]
    ran.looked_at(back_min=10)

    found, cursor, pages = list[str](), "", 0
    while pages == 0 or cursor:
        page = api.call(f"GET /v1/runs?limit=50{cursor}").body
        found += [run["run_id"] for run in page["data"]]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        pages += 1

    assert found == ids
    assert pages > 3


def test_a_range_that_was_not_counted_is_shown_as_one(api: Api) -> None:
    task_id = api.schedule("report")["task_id"]
    first = hour_lists.claimed(task_id, api.now_ms - 3_600_000)
    life = ended(first.life, Status.SKIPPED, Reason.PAUSED, now_ms=api.now_ms)
    whole = replace(first, key=f"{first.key}~g2", range_to="2026-11-18T11:59:00Z", life=life)
    conditional_writer.write_one(run_writes.insert(whole, now_ms=api.now_ms))
    wanted = {"from": "2026-11-18T11:00:00Z", "to": "2026-11-18T11:59:00Z", "count": None}

    assert api.call(f"GET /v1/runs/{whole.run_id}").body["range"] == wanted
    (row,) = api.call("GET /v1/schedules/report/runs").body["data"]
    assert row["range"] == wanted
    assert api.call(f"POST /v1/runs/{whole.run_id}/replay").body["code"] == "not_dead"
    assert Recorded.of([whole]).of_slot("2026-11-18T11:30:00Z") is whole


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


@pytest.mark.parametrize("query", ["from=2026-11-18T10:58:00Z", "to=2026-11-18T10:59:00Z"])
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
    answer = Again(Reason.FAILED, error_of("OSError", "no route"), after_sec=60)
    life = after(begun.life, task.task, answer, now_ms=api.now_ms, fraction=0.5)
    conditional_writer.write_one(run_writes.settle(begun, life, now_ms=api.now_ms))

    assert listed(api, "?status=retrying") == [run_id]
    api.now_ms += 60_000
    ran.started(run_id)
    assert listed(api, "?status=retrying") == []


def test_what_takes_long_is_listed_while_it_runs(api: Api) -> None:
    run_id = ran.triggered(api)
    begun = ran.started(run_id)
    conditional_writer.write_one(run_writes.extend(begun, begun.life, long=True, now_ms=api.now_ms))

    assert listed(api, "?status=long") == [run_id]
    ran.settled(run_id, "succeeded")
    assert listed(api, "?status=long") == []


@pytest.mark.parametrize("path", ["runs?task_id={}", "schedules/{}/runs?status=dead"])
def test_a_history_from_a_time_to_come_on_is_empty(api: Api, path: str) -> None:
    task_id = api.schedule()["task_id"]

    answer = api.call(f"GET /v1/{path.format(task_id)}&from=2031-10-23T18:11:24Z")

    assert (answer.status, answer.body["data"], answer.body["next_cursor"]) == (200, [], None)


def test_a_run_that_an_edit_has_moved_is_listed_once(api: Api) -> None:
    api.schedule(cron="* * * * *", jitter_sec=45, overlap="allow")
    api.wait(30)
    api.call("PATCH /v1/schedules/report", {"jitter_sec": 1})
    api.wait(150)

    listed = api.call("GET /v1/runs")

    assert listed.status == 200
    named = [run["run_id"] for run in listed.body["data"]]
    assert named
    assert len(named) == len(set(named))
