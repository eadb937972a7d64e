"""Lists, walked to their ends: no row twice, none missing, newest first, and no forged cursor."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode
from hashlib import sha256

import pytest

from tests.blackbox.user import YEARLY, User, until
from tests.blackbox.world import World


def pages(user: User, path: str, limit: int) -> list[list[dict[str, object]]]:
    """Returns each page of a list."""
    joint = "&" if "?" in path else "?"
    path = f"{path}{joint}limit={limit}"
    page = user.get(path)
    found = [page["data"]]
    while page["next_cursor"]:
        page = user.get(f"{path}&cursor={page['next_cursor']}")
        found.append(page["data"])
    return found


def tasks(user: User, count: int, **fields: object) -> list[str]:
    body = {"tasks": [{"target": {"type": "pull", "queue": "q"}, **fields}] * count}
    made = user.said(200, "POST", "/v1/tasks/batch", body)["data"]
    return [each["task"]["task_id"] for each in made]


def test_tasks_are_walked_newest_first_none_twice_none_missing(world: World) -> None:
    user = world.tenant()
    made = tasks(user, 17, delay_sec=5_000)

    for limit in (3, 5, 17, 200):
        found = pages(user, "/v1/tasks", limit)
        ids = [row["task_id"] for page in found for row in page]
        assert sorted(map(str, ids)) == sorted(made)
        assert all(len(page) <= limit for page in found)
    created = [str(row["created_at"]) for page in found for row in page]
    assert created == sorted(created, reverse=True)


def test_runs_of_a_schedule_are_walked_while_new_ones_are_made(world: World) -> None:
    user = world.tenant()
    target = {"type": "pull", "queue": "q"}
    user.schedule("pulled", cron=YEARLY, target=target, overlap="allow")
    made = [user.trigger("pulled") for _ in range(9)]

    first = user.get("/v1/schedules/pulled/runs?limit=4")
    late = user.trigger("pulled")
    rest, cursor = [], first["next_cursor"]
    while cursor:
        page = user.get(f"/v1/schedules/pulled/runs?limit=4&cursor={cursor}")
        rest += page["data"]
        cursor = page["next_cursor"]

    ids = [row["run_id"] for row in first["data"] + rest]
    assert len(ids) == len(set(ids))
    assert set(made) <= set(ids) <= {*made, late}
    assert ids == sorted(ids, reverse=True)


def test_the_runs_of_the_last_hour_are_all_there_newest_first(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    body = {"tasks": [{"target": hook.target}] * 23}
    made = user.said(200, "POST", "/v1/tasks/batch", body)["data"]
    until(lambda: hook.calls, lambda calls: len(calls) >= 23)
    task_ids = {each["task"]["task_id"] for each in made}

    for limit in (7, 50):
        found = [row for page in pages(user, "/v1/runs", limit) for row in page]
        ids = [str(row["run_id"]) for row in found]
        assert len(ids) == len(set(ids))
        assert {row["task_id"] for row in found} == task_ids
        due = [str(row["due_at"]) for row in found]
        assert due == sorted(due, reverse=True)


def test_schedules_are_filtered_by_what_the_docs_name(world: World) -> None:
    user = world.tenant()
    pull = {"type": "pull", "queue": "q"}
    user.schedule("alpha", cron=YEARLY, tags={"team": "billing"})
    user.schedule("beta", cron=YEARLY, tags={"team": "search"}, target=pull)
    user.schedule("gamma", cron=YEARLY, status="paused", managed_by="file:ops")

    def names(query: str) -> list[str]:
        return sorted(each["name"] for each in user.walked(f"/v1/schedules?{query}"))

    assert names("tag=team") == ["alpha", "beta"]
    assert names("tag=team:billing") == ["alpha"]
    assert names("target=pull") == ["beta"]
    assert names("handler=hello") == ["alpha", "gamma"]
    assert names("status=paused") == ["gamma"]
    assert names("q=lph") == ["alpha"]
    assert names("managed_by=file:ops") == ["gamma"]
    assert names("limit=1") == ["alpha", "beta", "gamma"]


def test_runs_of_a_task_are_filtered_by_outcome_and_origin(world: World) -> None:
    user = world.tenant()
    user.schedule("hello", cron=YEARLY)
    run_id = user.settled(user.trigger("hello"))["run_id"]

    assert [run["run_id"] for run in user.runs("hello", "&status=succeeded")] == [run_id]
    assert [run["run_id"] for run in user.runs("hello", "&origin=manual")] == [run_id]
    assert user.runs("hello", "&status=open") == []
    assert user.runs("hello", "&origin=schedule") == []
    assert [run["run_id"] for run in user.walked("/v1/runs?status=succeeded")] == [run_id]
    assert user.walked("/v1/runs?status=dead") == []
    refused = user.ask("GET", "/v1/runs?from=2026-01-01T00:00:00Z")
    assert refused.refusal == (400, "unsupported_filter")


def test_a_cursor_is_good_for_its_own_list_and_filters_only(world: World) -> None:
    user, other = world.tenant(), world.tenant()
    for each in (user, other):
        tasks(each, 3, delay_sec=5_000)
    cursor = user.get("/v1/tasks?limit=1")["next_cursor"]

    strange = [
        user.ask("GET", f"/v1/tasks?limit=1&cursor={cursor}x"),
        user.ask("GET", f"/v1/tasks?limit=1&q=z&cursor={cursor}"),
        user.ask("GET", f"/v1/schedules?limit=1&cursor={cursor}"),
        other.ask("GET", f"/v1/tasks?limit=1&cursor={cursor}"),
        user.ask("GET", "/v1/tasks?cursor=" + "A" * 40),
        user.ask("GET", "/v1/tasks?cursor=%00"),
    ]

    assert [each.refusal for each in strange] == [(400, "cursor_mismatch")] * len(strange)


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5"])
def test_a_limit_beyond_its_bounds_is_refused(world: World, limit: str) -> None:
    answer = world.operator.ask("GET", f"/v1/schedules?limit={limit}")

    assert answer.status in {400, 422}
    assert answer.code in {"invalid_request", "invalid_field"}


POSITIONS = (
    "[]",
    "[1,2]",
    "[null]",
    "{}",
    "no JSON",
    '["x","x"]',
    '["2040-01-01T00:00","z","z"]',
    '["9999-01-01T00:00:00Z"]',
)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/runs",
        "/v1/runs?status=dead",
        "/v1/schedules",
        "/v1/schedules?status=failing",
        "/v1/tasks",
        "/v1/upcoming",
        "/v1/audit",
        "/v1/dead-letters",
        "/v1/dead-letters/operations",
        "/v1/schedules/far/runs",
        "/v1/schedules/far/slots",
    ],
)
def test_a_forged_cursor_is_refused_and_as_soon_as_what_is_not_there(
    world: World, path: str
) -> None:
    user = world.tenant()
    user.schedule("far", cron=YEARLY)
    joint = "&" if "?" in path else "?"
    bare = path.partition("?")[0]

    for position in POSITIONS:
        begun = time.monotonic()
        answer = user.ask("GET", f"{path}{joint}cursor={forged(bare, user.tenant, position)}")
        assert answer.refusal == (400, "cursor_mismatch"), position
        # A forged one once held the API for 29 s; the machine may be busy.
        assert time.monotonic() - begun < 15


def forged(path: str, tenant: str, position: str) -> str:
    """Returns a cursor as anybody could compute it, were there no secret in it."""
    about = json.dumps({"tenant": tenant, "path": path, "filters": {}}, sort_keys=True)
    digest = sha256(f"{about}|{position}".encode()).hexdigest()[:16]
    return urlsafe_b64encode((digest + position).encode()).rstrip(b"=").decode()
