"""What died with the emulator's queues is sent again, whatever list it is in, and no more."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from onthedot.local.lost_messages import recall
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.store import aws, table_reads
from tests.engines.meter import metered
from tests.engines.place import Place
from tests.engines.tasks import claimed
from tests.schedule.samples import lived

# Rows of an hour before that are over.
_OLDER = 200


def listed(number: int, **life: Any) -> Run:
    """Returns a run of this minute, listed and claimed; its message is lost."""
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
    """Returns the runs and attempts that messages ask for."""
    bodies = [json.loads(each["body"]) for each in place.receive(wait_sec=1)]
    return [(run["run_id"], run["attempt"]) for body in bodies for run in body["runs"]]


def delayed() -> int:
    """Returns how many messages turn up later."""
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


@pytest.mark.usefixtures("place")
def test_a_start_reads_no_runs_but_those_that_are_listed() -> None:
    def read() -> float:
        with metered() as meter:
            recall()
        return meter.read

    listed(1)
    before = read()
    for number in range(_OLDER):
        slot = int(time.time()) - 3_600 - number
        life = lived(claimed("d", slot).life, status="succeeded", attempt=1)
        run = replace(claimed("d", slot, task_id="sch_1"), life=life)
        table_reads.put("runs", run_writes.insert(run, now_ms=slot * 1000).item)

    assert 0 < read() <= before


def test_one_that_ran_gets_its_message_when_its_lease_is_over(place: Place) -> None:
    listed(1, status="running", attempt=1, lease_ms=int(time.time() + 20) * 1000)

    assert recall() == 1
    assert received(place) == []
    assert delayed() == 1
