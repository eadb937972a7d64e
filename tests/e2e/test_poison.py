"""What kills its worker, over and over, ends with an explanation and takes nothing else along."""

from __future__ import annotations

from functools import partial
from typing import Any

from onthedot.local import clients
from tests.e2e.kit import WAIT, Local, until

# Lease, margin, and the second after which a takeover is tried; then some for a busy machine.
AGAIN_SEC = 27
BUSY_SEC = 15


def test_a_run_whose_worker_is_killed_runs_again_and_one_that_always_dies_ends_dead(
    local: Local,
) -> None:
    healthy = local.register("healthy", cron="0 0 1 1 *", target=WAIT, payload={"seconds": 6})
    poison = local.register(
        "poison", cron="0 0 1 1 *", target=WAIT, payload={"seconds": 600}, max_attempts=2
    )
    beside = local.register("beside", cron="* * * * * *", overlap="allow")
    first, second = local.trigger(healthy), local.trigger(poison)
    for run in (first, second):
        local.running(run, attempt=1)

    assert local.kill("WorkFunction") >= 1
    recovered = local.settled(first, AGAIN_SEC + 6 + BUSY_SEC)
    local.running(second, attempt=2, within_sec=BUSY_SEC)
    assert local.kill("WorkFunction") >= 1
    ended = local.settled(second, AGAIN_SEC + BUSY_SEC)

    assert (recovered["status"], recovered["attempt"]) == ("succeeded", 2)
    assert recovered["attempts"][0]["outcome"] == "lost"
    assert (ended["status"], ended["reason"]) == ("dead", "attempts_exhausted")
    assert (ended["attempt"], ended["attempts"][0]["outcome"]) == (2, "lost")
    assert {run["status"] for run in local.runs(beside)} <= {"succeeded", "running", "claimed"}


def test_a_message_that_no_release_wrote_is_removed(local: Local) -> None:
    sqs = clients.client("sqs", local.stack.endpoint)
    low, dead = (local.stack.outputs[name] for name in ("LowQueueUrl", "DeadQueueUrl"))
    task_id = local.register("low", cron="0 0 1 1 *", priority=3)

    for url in (low, dead):
        sqs.send_message(QueueUrl=url, MessageBody="no pack of ours")
    run = local.settled(local.trigger(task_id))

    assert run["status"] == "succeeded"
    for url in (low, dead):
        until(partial(_kept, sqs, url), lambda kept: kept == 0)
    assert local.settled(local.trigger(task_id))["status"] == "succeeded"


def _kept(sqs: Any, url: str) -> int:
    """Returns how many messages a queue has, whether somebody looks at them or not."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)
    return sum(int(answer["Attributes"][name]) for name in names)
