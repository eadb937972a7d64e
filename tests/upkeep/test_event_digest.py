"""Events of one schedule are put together: one a minute and kind, the same if it is told again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from onthedot.store import table_reads
from onthedot.upkeep.events import cloud_event, destinations, digest, notifications
from onthedot.upkeep.events.cloud_event import Event
from onthedot.upkeep.events.notifications import keep, tell
from tests.schedule.samples import NOON_MS, TASK_ID, run, task
from tests.simulation.calm import add
from tests.simulation.stage import Stage

PLACE = "arn:aws:sns:us-east-1:000000000000:alarms"


class Topic:
    """What was handed over, and how many hand-overs are still to fail."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.failures = 0
        self.answers_lost = 0

    def send(self, _arn: str, bodies: list[str]) -> set[int]:
        if self.failures:
            self.failures -= 1
            raise EndpointConnectionError(endpoint_url="https://sns")
        self.got += [json.loads(body) for body in bodies]
        if self.answers_lost:
            self.answers_lost -= 1
            raise ReadTimeoutError(endpoint_url="https://sns")
        return set()


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> Topic:
    monkeypatch.setenv("EVENTS_TO", PLACE)
    found = Topic()
    monkeypatch.setattr(destinations, "send", found.send)
    return found


def late(minute: int, **given: Any) -> Event:  # noqa: ANN401 any field
    """Returns a run that began late, after an outage."""
    due_ms = NOON_MS + minute * 60_000
    ended_ms = NOON_MS + 3_600_000 + minute
    life = {"status": "succeeded", "attempt": 1, "due_ms": due_ms, "started_ms": ended_ms - 1}
    slot = f"2026-11-18T12:{minute:02}:00Z"
    return cloud_event.of_run("late", run(slot, ended_ms=ended_ms, **life, **given))


def listed(partition: str) -> list[Any]:
    return list(table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~")))


def test_many_runs_that_were_late_are_one_event_with_first_and_last(
    stage: Stage, topic: Topic
) -> None:
    made = add(stage, "* * * * *", name="report")
    for first in (0, 30):
        keep([late(n, task_id=made.task_id) for n in range(first, min(first + 30, 59))])

    assert tell() == {"events_told": 1, "events_refused": 0}

    (told,) = topic.got
    assert told["type"] == "onthedot.run.late.v1"
    data = told["data"]
    assert (data["name"], data["tenant_id"], data["count"]) == ("report", "acme", 59)
    assert data["first"] == {
        "run_id": f"{made.task_id}.20261118T120000Z",
        "scheduled_for": "2026-11-18T12:00:00Z",
        "time": "2026-11-18T13:00:00Z",
    }
    assert data["last"]["scheduled_for"] == "2026-11-18T12:58:00Z"
    assert (data["scheduled_for"], told["subject"]) == (
        "2026-11-18T12:58:00Z",
        data["last"]["run_id"],
    )
    assert listed(cloud_event.OPEN) == listed(digest.GATHERED) == []
    assert len(listed(cloud_event.TOLD)) == 59


@pytest.mark.usefixtures("stage")
def test_a_single_event_keeps_the_id_that_it_always_had(topic: Topic) -> None:
    keep([late(1)])
    tell()

    (told,) = topic.got
    assert told["id"] == late(1).id
    assert told["data"]["count"] == 1
    assert told["data"]["first"] == told["data"]["last"]


@pytest.mark.usefixtures("stage")
def test_what_is_told_again_is_the_same_event_though_more_have_come(topic: Topic) -> None:
    keep([late(1), late(2)])
    topic.answers_lost = 1
    assert tell() == {"events_told": 0, "events_refused": 1}
    keep([late(3)])

    assert tell() == {"events_told": 2, "events_refused": 0}

    first, again, more = topic.got
    assert again == first
    assert [one["data"]["count"] for one in topic.got] == [2, 2, 1]
    assert more["id"] != first["id"]


@pytest.mark.usefixtures("stage")
def test_other_kinds_and_other_tasks_have_events_of_their_own(topic: Topic) -> None:
    dead = [cloud_event.of_run("dead", run(status="dead", ended_ms=NOON_MS))]
    keep([late(1), late(2), late(3, task_id="sch_other"), *dead])
    tell()

    assert sorted(one["data"]["count"] for one in topic.got) == [1, 1, 2]


@pytest.mark.usefixtures("stage")
def test_two_pauses_of_a_schedule_stay_two_events(topic: Topic) -> None:
    report = task(name="report")
    keep([cloud_event.of_task("paused", report, "why", NOON_MS + each) for each in (0, 1_000)])
    tell()

    assert [one["data"].get("count") for one in topic.got] == [None, None]
    assert topic.got[0]["data"]["name"] == "report"


@pytest.mark.usefixtures("stage")
def test_more_than_one_event_holds_are_told_in_the_next_minute(
    topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "MEMBERS_MAX", 20)
    keep([late(n) for n in range(50)])

    for _ in range(4):
        tell()

    assert [one["data"]["count"] for one in topic.got] == [20, 20, 10]


@pytest.mark.usefixtures("stage")
def test_an_event_that_yesterday_s_release_kept_is_told(topic: Topic) -> None:
    now = late(4)
    known_then = {"task_id", "run_id", "origin", "status", "reason", "attempt"}
    old = replace(now, data={name: now.data[name] for name in known_then})
    keep([old])

    tell()

    (told,) = topic.got
    assert told["id"] == now.id
    assert told["data"]["first"]["scheduled_for"] is None
    assert told["source"].endswith(TASK_ID)


@pytest.mark.usefixtures("stage")
def test_a_minute_tells_so_many_of_those_that_an_earlier_one_has_begun(
    topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep([late(number, task_id=f"sch_{number:026}") for number in range(3)])
    topic.failures = 1
    tell()
    monkeypatch.setattr(notifications, "AT_ONCE", 2)

    assert [tell()["events_told"] for _ in range(3)] == [2, 1, 0]
