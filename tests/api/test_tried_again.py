"""A request whose first try died half-way is carried out once, by its second."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.flows import define, loops
from tests.api import ran
from tests.api.kit import Answer, Api

HOUR = {"from": "2026-11-18T10:00:00Z", "to": "2026-11-18T11:00:00Z"}


def dies_once(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """The process is lost where it would tell of what it has just done."""
    tell = define.tell
    left = [1]

    def dying(by: Any, told: str, about: str) -> None:
        if told == what and left:
            left.pop()
            raise RuntimeError("lost")
        tell(by, told, about)

    monkeypatch.setattr(define, "tell", dying)


def twice(api: Api, route: str, body: object) -> Answer:
    first = api.call(route, body, idempotency_key="once")
    second = api.call(route, body, idempotency_key="once")
    assert first.status == 500
    return second


def test_a_replay_makes_one_run(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = ran.dead(api)
    dies_once(monkeypatch, "run.replayed")

    answer = twice(api, f"POST /v1/runs/{run_id}/replay", {"payload": {"n": 1}})

    assert answer.status == 201
    (again,) = api.call("GET /v1/runs?origin=replay").body["data"]
    assert again["run_id"] == answer.body["run_id"]


def test_a_backfill_begins_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow")
    route = "POST /v1/schedules/report/backfills"
    token = api.call(route, HOUR).body["plan_token"]
    dies_once(monkeypatch, "backfill.started")

    answer = twice(api, f"{route}?plan_token={token}", HOUR)

    assert answer.status == 202
    assert loops.step()["backfilled"] == 5
    (found,) = api.call("GET /v1/schedules/report/backfills").body["data"]
    assert found["backfill_id"] == answer.body["backfill_id"]


def test_a_purge_begins_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    ran.dead(api)
    route = "POST /v1/dead-letters/purge"
    token = api.call(route, {}).body["plan_token"]
    dies_once(monkeypatch, "dead_letters.purge")

    answer = twice(api, f"{route}?plan_token={token}", {})

    assert answer.status == 202
    assert loops.step()["purged"] == 1
    assert len(api.call("GET /v1/dead-letters/operations").body["data"]) == 1
