"""Several processes dispatch the same shards: one row a slot, none unsent, each advance once."""

from __future__ import annotations

import json
import time
from collections import Counter
from multiprocessing import Queue, get_context
from multiprocessing.synchronize import Barrier
from random import Random

import pytest

from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.keys import shard_of
from onthedot.records.timings import CLAIM_SEC, MARGIN_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, clock
from tests.engines.place import Place, cursor, put, rows
from tests.engines.tasks import daily, last_minute, task, task_id

DISPATCHERS = 4
DAILY, MINUTELY, SLOTS = 80, 20, 2
DAY_SEC = 86_400
PATIENCE_SEC = 20
# Each dispatcher goes through them in an order of its own.
SHARDS = (0, 1, 2, 3)
NUMBERS = [each for each in range(15_000) if shard_of(task_id(each)) in SHARDS]


def tick(place: int, meeting: Barrier, counts: Queue[dict[str, int]]) -> None:
    """Runs one dispatcher in a process of its own that has the test's environment.

    All have looked before the first one claims, and from there on none is quicker than another.
    """
    pause = Random(place)
    claiming: list[bool] = []

    def hold(**_: object) -> None:
        if not claiming:
            claiming.append(True)
            meeting.wait(PATIENCE_SEC)
        time.sleep(pause.random() / 100)

    aws.client("dynamodb").meta.events.register("before-call.dynamodb.BatchExecuteStatement", hold)
    counts.put(dispatch(SHARDS[place:] + SHARDS[:place]).counts)


@pytest.mark.parametrize("place", ["memory", "disk", "ministack"], indirect=True)
def test_rival_processes_claim_each_slot_once_and_send_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    minute = last_minute()
    once = [put(daily(number, minute)) for number in NUMBERS[:DAILY]]
    # Two slots each, the last one now: nothing is in the future, so all messages are visible.
    # The first may be late by then, so its policy has to let it run.
    first = minute - 60 * (SLOTS - 1)
    often = [
        put(task(number, "* * * * *", minute + 1, effective_from=first - 1, misfire="all"))
        for number in NUMBERS[DAILY : DAILY + MINUTELY]
    ]

    rivals = _rivals()
    # What one of them saw in another's hands is taken over once the claim has lapsed.
    later_ms = clock.now_ms() + (CLAIM_SEC + MARGIN_SEC) * 1000
    monkeypatch.setattr(clock, "now_ms", lambda: later_ms)
    counts = sum(map(Counter, [*rivals, dispatch(SHARDS).counts]), Counter())

    runs = [run for each in (*once, *often) for run in rows(each.task_id).values()]
    sent = _sent(place)
    assert all(each["due"] == DAILY + MINUTELY for each in rivals)
    assert len(runs) == counts["claimed"] == DAILY + MINUTELY * SLOTS
    assert set(sent) == {run.run_id for run in runs}
    assert sent.total() == counts["sent"] == counts["claimed"] + counts["taken_over"]
    assert {cursor(each.task_id)["next_run_at"] for each in once} == {nominal(minute + DAY_SEC)}
    assert not any("due_shard" in cursor(each.task_id) for each in often)
    assert DAILY + MINUTELY <= counts["advanced"] <= DAILY + MINUTELY * SLOTS


def _rivals() -> list[dict[str, int]]:
    spawning = get_context("spawn")
    meeting, counts = spawning.Barrier(DISPATCHERS), spawning.Queue()
    processes = [
        spawning.Process(target=tick, args=(place, meeting, counts)) for place in range(DISPATCHERS)
    ]
    for process in processes:
        process.start()
    found = [counts.get(timeout=PATIENCE_SEC) for _ in processes]
    for process in processes:
        process.join()
    return found


def _sent(place: Place) -> Counter[str]:
    found: Counter[str] = Counter()
    while records := place.receive():
        for record in records:
            found.update(run["run_id"] for run in json.loads(record["body"])["runs"])
    return found
