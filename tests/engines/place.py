"""Tables and queues of one test on an engine, and the poller that Lambda would be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Barrier
from typing import Any, TypeVar

import pytest
from botocore.loaders import create_loader

from bench import recording
from onthedot.records import keys, schema
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_items
from onthedot.records.tasks.task_spec import Task
from onthedot.store import aws, table_reads
from onthedot.work.target_table import TARGETS

_NUMBERS = count(1)
_MODELS = create_loader()
# Above the longest invocation; the worker shortens it to its lease.
_VISIBILITY = "960"
_Got = TypeVar("_Got")
Handler = Callable[[Mapping[str, Any]], dict[str, Any]]


@contextmanager
def surroundings(settings: pytest.MonkeyPatch) -> Iterator[None]:
    """Yields what a function's environment has; another test's clients and constants are put
    aside.
    """
    for name in ("AWS_CA_BUNDLE", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
        settings.delenv(name, raising=False)
    settings.setenv("AWS_ACCESS_KEY_ID", "test")
    settings.setenv("AWS_SECRET_ACCESS_KEY", "test")
    settings.setenv("AWS_DEFAULT_REGION", "us-east-1")
    settings.setenv("AWS_CONFIG_FILE", "/dev/null")
    settings.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    settings.setenv("PARALLEL_CALLS", "2")
    settings.setitem(TARGETS, "recording", recording.call)
    # The simulation lists all manifests of a minute in one partition.
    settings.setattr(keys, "MANIFESTS", 4)
    _forget_clients()
    yield
    _forget_clients()


def _forget_clients() -> None:
    """Lets the adapters read the environment again: they read it once in a process."""
    for remembered in (aws.client, aws._session, aws.width, aws._pool):  # noqa: SLF001
        remembered.cache_clear()
    # The models of the services stay read: that takes longer than most tests.
    aws._session().register_component("data_loader", _MODELS)  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class Place:
    """Where a test happens: its tables and queues have names of their own."""

    number: int

    @classmethod
    def made(cls, settings: pytest.MonkeyPatch, **urls: str) -> Place:
        """Points the adapters at the engines, if any, and makes tables and queues there."""
        place = cls(next(_NUMBERS))
        for service, url in urls.items():
            settings.setenv(f"AWS_ENDPOINT_URL_{service.upper()}", url)
        place.make_tables(settings)
        place.make_queues(settings)
        return place

    def make_tables(self, settings: pytest.MonkeyPatch) -> None:
        """Makes the tables as the template would."""
        for table, declared in (("tasks", schema.TASKS), ("runs", schema.RUNS)):
            settings.setenv(f"{table.upper()}_TABLE", f"{table}-{self.number}")
            aws.client("dynamodb").create_table(**schema.creation(declared, aws.table(table)))

    def make_queues(self, settings: pytest.MonkeyPatch) -> None:
        """Makes a queue for each priority, which gives up to the dead one after ten receipts."""
        sqs = aws.client("sqs")
        for queue in ("dead", "high", "normal", "low"):
            attributes = {"VisibilityTimeout": _VISIBILITY}
            if queue != "dead":
                dead = sqs.get_queue_attributes(
                    QueueUrl=aws.queue_url("dead"), AttributeNames=["QueueArn"]
                )["Attributes"]["QueueArn"]
                policy = {"deadLetterTargetArn": dead, "maxReceiveCount": "10"}
                attributes["RedrivePolicy"] = json.dumps(policy)
            made = sqs.create_queue(QueueName=f"{queue}-{self.number}", Attributes=attributes)
            settings.setenv(f"{queue.upper()}_QUEUE_URL", made["QueueUrl"])

    def arn(self, queue: str) -> str:
        """Returns what an event of the queue names as its source."""
        return f"arn:aws:sqs:us-east-1:000000000000:{queue}-{self.number}"

    def receive(self, queue: str = "normal", *, wait_sec: int = 0, most: int = 10) -> Any:
        """Takes what is visible, as the records of an event."""
        answer = aws.client("sqs").receive_message(
            QueueUrl=aws.queue_url(queue),
            MaxNumberOfMessages=most,
            WaitTimeSeconds=wait_sec,
            MessageSystemAttributeNames=["All"],
        )
        return [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "eventSource": "aws:sqs",
                "eventSourceARN": self.arn(queue),
            }
            for message in answer.get("Messages", [])
        ]

    def poll(self, handler: Handler, queue: str = "normal", *, wait_sec: int = 0) -> int:
        """Gives one batch to a handler and deletes what it does not report back."""
        records = self.receive(queue, wait_sec=wait_sec)
        if not records:
            return 0
        failed = {each["itemIdentifier"] for each in handler({"Records": records})[FAILURES]}
        for record in records:
            if record["messageId"] not in failed:
                aws.client("sqs").delete_message_batch(
                    QueueUrl=aws.queue_url(queue),
                    Entries=[{"Id": "0", "ReceiptHandle": record["receiptHandle"]}],
                )
        return len(records)


FAILURES = "batchItemFailures"


def put(task: Task, next_run_at: int | None = None) -> Task:
    """Puts a task as it stands after its registration, with its cursor where it is wanted."""
    following = task_items.first_due(task) if next_run_at is None else next_run_at
    for item in (task_items.cursor(task, following), task.item()):
        table_reads.put("tasks", item)
    return task


def rows(task_id: str) -> dict[str, Run]:
    """Returns a task's runs by key, its gate left out."""
    items = table_reads.rows(("task_id", task_id), "scheduled_for", ("0", "~"))
    return {item["scheduled_for"]: run_row.parse(item) for item in items if "life" in item}


def cursor(task_id: str) -> Mapping[str, Any]:
    """Returns a task's cursor."""
    item = table_reads.get("tasks", {"task_id": task_id, "part": keys.CURSOR})
    assert item is not None
    return item


def at_once(number: int, work: Callable[[int], _Got]) -> list[_Got]:
    """Does the work in so many threads that begin together."""
    barrier = Barrier(number)

    def begin(place: int) -> _Got:
        barrier.wait()
        return work(place)

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(begin, range(number)))
