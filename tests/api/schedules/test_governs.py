"""What was acknowledged governs what starts after it, though it was queued long before."""

from __future__ import annotations

from typing import Any

import pytest

from lambdas.dispatch import handler as dispatch
from lambdas.work import handler as work
from onthedot.records.runs import run_row
from onthedot.schedule.time.instants import parse_nominal
from onthedot.store import aws, table_reads, tasks
from tests.api.kit import CONTEXT, Api

ARN = "arn:aws:sqs:us-east-1:000000000000:normal"


def at(api: Api, moment: str, ms: int = 0) -> None:
    api.now_ms = parse_nominal(f"2026-11-18T{moment}Z") * 1000 + ms


def work_off() -> None:
    """Gives the worker what is visible, as Lambda would."""
    found = aws.client("sqs").receive_message(
        QueueUrl=aws.queue_url("normal"),
        MaxNumberOfMessages=10,
        MessageSystemAttributeNames=["All"],
    )
    records = [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "eventSourceARN": ARN,
        }
        for message in found.get("Messages", [])
    ]
    assert records, "nothing was visible"
    work({"Records": records}, CONTEXT)


def outcomes(api: Api) -> dict[str, tuple[str, str | None]]:
    path = "GET /v1/schedules/report/runs?to=2026-11-19T00:00:00Z"
    runs: list[dict[str, Any]] = api.call(path).body["data"]
    return {run["scheduled_for"][11:19]: (run["status"], run["reason"]) for run in runs}


@pytest.mark.parametrize(
    ("write", "body", "outcome"),
    [
        ("POST /v1/schedules/report/pause", None, ("skipped", "paused")),
        ("PATCH /v1/schedules/report", {"cron": "30 * * * *"}, ("skipped", "superseded")),
    ],
)
def test_a_write_just_before_the_time_governs_the_queued_run(
    api: Api, write: str, body: object, outcome: tuple[str, str]
) -> None:
    api.schedule(cron="* * * * *")
    assert outcomes(api)["12:01:00"] == ("claimed", None)
    at(api, "12:00:59", 900)

    assert api.call(write, body).status == 200
    dispatch({}, CONTEXT)
    at(api, "12:01:00", 100)
    work_off()

    assert outcomes(api)["12:01:00"] == outcome


def test_a_delete_ends_what_is_queued_before_it_is_answered(api: Api) -> None:
    task_id = api.schedule(cron="* * * * *")["task_id"]
    at(api, "12:00:59", 900)

    assert api.call("DELETE /v1/schedules/report").status == 204

    run = api.call(f"GET /v1/runs/{task_id}.20261118T120100Z").body
    assert (run["status"], run["reason"]) == ("cancelled", "task_deleted")


def test_an_edit_of_the_payload_holds_for_the_queued_run(api: Api) -> None:
    task_id = api.schedule(cron="* * * * *", payload={"who": "before"})["task_id"]
    at(api, "12:00:59", 900)
    api.call("PATCH /v1/schedules/report", {"payload": {"who": "after"}})
    at(api, "12:01:00", 100)

    work_off()

    run = api.call(f"GET /v1/runs/{task_id}.20261118T120100Z").body
    assert run["status"] == "succeeded", run
    assert "after" in str(run["result"])


def test_what_the_dispatcher_claims_and_what_the_call_claims_is_claimed_once(api: Api) -> None:
    api.schedule(cron="* * * * *")

    for _ in range(2):
        dispatch({}, CONTEXT)

    assert outcomes(api) == {"12:01:00": ("claimed", None), "12:02:00": ("claimed", None)}
    queue = api.sqs.queues[api.sqs.url("normal")]
    assert len(queue.messages) == 2


def test_a_run_that_is_claimed_is_due_by_the_jitter_of_the_edit(api: Api) -> None:
    made = api.schedule(cron="* * * * *", jitter_sec=40, overlap="allow")
    before = dues(made["task_id"])
    offset = _offset(made["task_id"])

    api.call("PATCH /v1/schedules/report", {"jitter_sec": 0})

    after = dues(made["task_id"])
    assert before == [(slot, slot + offset) for slot, _ in before]
    # The first slot was due before the edit by its jitter: it is dropped.
    assert {slot for slot, _ in before[1:]} <= {slot for slot, _ in after}
    assert [due for _, due in after[1:]] == [slot for slot, _ in after[1:]]


def _offset(task_id: str) -> int:
    found = tasks.read(task_id)
    assert found is not None
    return found.task.schedule.jitter_offset_sec


def dues(task_id: str) -> list[tuple[int, int]]:
    """Returns each claimed slot, and when it is due."""
    items = table_reads.rows(("task_id", task_id), "scheduled_for", ("0", "~"))
    found = [run_row.parse(item) for item in items]
    return [(parse_nominal(run.key), run.life.due_ms // 1000) for run in found]
