"""Hostile messages in the queues, of every form: nobody else's run is late for them, or lost."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from onthedot.core.instants import nominal
from onthedot.local import clients
from tests.e2e.kit import Local, until

EACH = 15
SLOTS, EVERY_SEC = 8, 3
# A cold API may take that long to register.
AHEAD_SEC = 15
# Beyond the same schedules without a hostile message about.
LATE_MS_MAX = 1_000
HEALTHY: dict[str, object] = {"run_id": "sch_X.20261118T120000Z", "attempt": 1, "tv": 1}


def pack(**changed: object) -> str:
    return json.dumps({"v": 1, "due_ms": 0, "why": "start", "runs": [HEALTHY]} | changed)


def entry(**changed: object) -> str:
    return pack(runs=[HEALTHY | changed])


FORMS = {
    "no JSON": "no pack of ours",
    "brackets": "[" * 262_000,
    "object as runs": pack(runs=HEALTHY),
    "no fields": '{"v":1}',
    "id without T": entry(run_id="no-T-here"),
    "number as id": entry(run_id=7),
    "list as id": entry(run_id=["list"]),
    "no row": entry(),
    "attempt 10**18": entry(attempt=10**18),
    "infinite due_ms": pack(due_ms=float("inf")),
    "far due_ms": pack(due_ms=7_258_118_399_999),
    "4,000 runs": pack(runs=[HEALTHY] * 4_000),
    "half a character": '{"v":1,"due_ms":0,"why":"\\ud800","runs":[{"run_id":"\\ud800"}]}',
}


@pytest.mark.parametrize("queue", ["NormalQueueUrl", "DeadQueueUrl"])
def test_no_run_of_another_is_late_or_lost_for_hostile_messages(local: Local, queue: str) -> None:
    sqs = clients.client("sqs", local.stack.endpoint)
    url = local.stack.outputs[queue]
    before = lateness(local, f"control-{queue}")

    def write() -> None:
        for body in FORMS.values():
            for _ in range(EACH):
                sqs.send_message(QueueUrl=url, MessageBody=body)

    during = lateness(local, f"hostile-{queue}", write)

    assert len(before) == len(during) == SLOTS
    assert max(during) <= max(before) + LATE_MS_MAX, (before, during)
    until(lambda: left(sqs, url), lambda count: count == 0, within_sec=60)


def lateness(local: Local, name: str, meanwhile: Any = lambda: None) -> list[int]:
    """How late each slot of a schedule started, while something else goes on."""
    # Slots of every_sec are counted from the epoch.
    begin = (int(time.time()) + AHEAD_SEC) // EVERY_SEC * EVERY_SEC
    end = begin + (SLOTS - 1) * EVERY_SEC
    start_at, end_at = (nominal(at) for at in (begin, end))
    task_id = local.register(
        name, every_sec=EVERY_SEC, start_at=start_at, end_at=end_at, overlap="allow"
    )
    until(time.time, lambda now: now >= begin - 1, within_sec=AHEAD_SEC)
    meanwhile()
    runs = until(
        lambda: [run for run in local.runs(task_id) if run["status"] == "succeeded"],
        lambda found: len(found) == SLOTS,
        within_sec=60,
    )
    return [local.run(run["run_id"])["lag_ms"] for run in runs]


def left(sqs: Any, url: str) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)
    return sum(int(answer["Attributes"][name]) for name in names)
