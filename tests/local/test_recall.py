"""What died with the emulator's queues is sent again, whatever list it is in, and no more."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

from onthedot.local.lost_messages import recall
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.store import aws, table_reads
from tests.engines.place import Place
from tests.engines.tasks import claimed
from tests.schedule.samples import lived


def listed(number: int, **life: Any) -> Run:
    """A run of this minute, listed and claimed; its message is lost."""
    slot = int(time.time())
    run = claimed("d", slot, task_id=f"sch_{number}")
    run = replace(run, life=lived(run.life, **life))
    now_ms = slot * 1000
    entries = [manifest.entry(run)]
    for each in manifest.listing(f"d{number}", entries, now_ms=now_ms):
        table_reads.put("runs", each.item())
    table_reads.put("runs", run_writes.insert(run, now_ms=now_ms).item)
    return run


def received(place: Place) -> list[tuple[str, int]]:
    """The runs and attempts that messages ask for."""
    bodies = [json.loads(each["body"]) for each in place.receive(wait_sec=1)]
    return [(run["run_id"], run["attempt"]) for body in bodies for run in body["runs"]]


def delayed() -> int:
    """How many messages turn up later."""
    name = "ApproximateNumberOfMessagesDelayed"
    answer = aws.client("sqs").get_queue_attributes(
        QueueUrl=aws.queue_url("normal"), AttributeNames=[name]
    )
    return int(answer["Attributes"][name])


def test_a_claimed_run_gets_another_message(place: Place) -> None:
    run = listed(1)

    assert recall() == 1
    assert received(place) == [(run.run_id, 1)]


def test_one_that_is_over_gets_none(place: Place) -> None:
    listed(1, status="succeeded", attempt=1)

    assert recall() == 0
    assert received(place) == []


def test_one_that_ran_gets_its_message_when_its_lease_is_over(place: Place) -> None:
    listed(1, status="running", attempt=1, lease_ms=int(time.time() + 20) * 1000)

    assert recall() == 1
    assert received(place) == []
    assert delayed() == 1
