"""One schedule from its registration to its history, through the handlers, under moto.

moto reports success for failed PartiQL conditions, so every write goes by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from moto import mock_aws

from bench import recording
from lambdas import audit, dispatch, work
from onthedot.records.keys import shard_of
from onthedot.records.runs import run_row
from onthedot.registry.edit import edit
from onthedot.registry.lifecycle import paused_by
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, conditional_writer, table_reads
from tests.engines.place import Place, cursor, rows, surroundings
from tests.engines.tasks import create, task

MIDNIGHT = parse_nominal("2026-11-18T00:00:00Z")
HOUR_SEC = 3_600
paused = partial(paused_by, key_id="key_1", reason=None, until=None)
RULE = {
    "version": "0",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "account": "123456789012",
    "region": "us-east-1",
    "resources": ["arn:aws:events:us-east-1:123456789012:rule/tick"],
    "detail": {},
}


class Hands:
    """A clock that only the test and waiting move."""

    def __init__(self) -> None:
        self.ms = MIDNIGHT * 1000

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000

    def sleep(self, seconds: float) -> None:
        self.ms += round(seconds * 1000)


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    made = Hands()
    for name in ("now_ms", "monotonic", "sleep"):
        monkeypatch.setattr(clock, name, getattr(made, name))
    monkeypatch.setattr("moto.sqs.models.unix_time_millis", lambda: float(made.ms))
    monkeypatch.setattr(recording, "calls", [])
    return made


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(conditional_writer, "BATCH", 1)
    with surroundings(monkeypatch), mock_aws():
        yield Place.made(monkeypatch)


def test_a_schedule_registered_today_fires_on_time_every_hour(place: Place, hands: Hands) -> None:
    registered = create(task(1, "0 * * * *", payload={"hello": "world"}))

    for hour in (1, 2, 3):
        slot = MIDNIGHT + hour * HOUR_SEC
        # The rule of two minutes before finds it within its look-ahead.
        hands.ms = (slot - 120) * 1000
        assert dispatch.handler(RULE, None)["sent"] == 1
        assert place.receive() == []

        hands.ms = slot * 1000 - 1_000
        assert place.poll(lambda event: work.handler(event, None)) == 1
        assert hands.ms == slot * 1000
        assert place.receive() == []

    slots = [nominal(MIDNIGHT + hour * HOUR_SEC) for hour in (3, 2, 1)]
    history = [
        run_row.parse(item)
        for item in table_reads.rows(
            ("task_id", registered.task_id), "scheduled_for", ("0", "~"), newest_first=True
        )
        if "life" in item
    ]
    assert [run.key for run in history] == slots
    assert [run.life.status for run in history] == ["succeeded"] * 3
    assert [run.life.its_attempt.started_ms - run.life.due_ms for run in history] == [0, 0, 0]
    assert [call.scheduled_for for call in recording.calls] == slots[::-1]
    assert recording.calls[0].payload == {"hello": "world"}
    assert cursor(registered.task_id)["next_run_at"] == nominal(MIDNIGHT + 4 * HOUR_SEC)

    hands.sleep(120)
    assert audit.handler(RULE, None)["succeeded"] == 1


def test_a_pause_after_the_claim_governs_the_queued_run(place: Place, hands: Hands) -> None:
    registered = create(task(1, "0 * * * *"))
    slot = MIDNIGHT + HOUR_SEC
    hands.ms = (slot - 120) * 1000
    dispatch.handler({"shards": [0, 255]}, None)

    hands.ms = slot * 1000 - 1_000
    edit(registered.task_id, paused)
    place.poll(lambda event: work.handler(event, None))

    (run,) = rows(registered.task_id).values()
    assert (run.life.status, run.life.reason) == ("skipped", "paused")
    assert recording.calls == []
    assert dispatch.handler(RULE, None)["due"] == 0


def test_a_rule_may_name_its_share_of_the_shards(place: Place, hands: Hands) -> None:
    registered = create(task(1, "0 * * * *"))
    mine = shard_of(registered.task_id)
    hands.ms = (MIDNIGHT + HOUR_SEC - 120) * 1000

    assert dispatch.handler({"shards": [mine + 1, 255]}, None)["due"] == 0
    assert dispatch.handler({"shards": [mine, mine]}, None)["sent"] == 1
    assert place.receive() == []
