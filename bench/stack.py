"""Starts the engines of a bench: Dynoxide in memory, MiniStack's SQS, and tasks that are due."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onthedot.records import schema
from onthedot.records.attributes import typed_item
from onthedot.records.conditional_writes import Insert
from onthedot.records.keys import shard_of
from onthedot.records.tasks.task_items import cursor, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.store import aws, conditional_writer, ids
from tests.contract.engines import dynoxide, ministack

# Calls at once that two cores can use. On AWS it is 8 to 16.
WIDTH = "3"
_PUT_MAX = 25
PAYLOAD = {"note": "x" * 4_000}


@dataclass(slots=True)
class Stack:
    """Two servers, and the number of calls of each operation."""

    calls: Counter[str] = field(default_factory=Counter)

    def empty(self) -> None:
        """Makes fresh tables and queues."""
        database, queues = aws.client("dynamodb"), aws.client("sqs")
        for kind, table in (("tasks", schema.TASKS), ("runs", schema.RUNS)):
            name = aws.table(kind)
            if name in database.list_tables()["TableNames"]:
                database.delete_table(TableName=name)
            database.create_table(**schema.creation(table, name))
        for queue in aws.QUEUES:
            url = queues.create_queue(QueueName=queue)["QueueUrl"]
            os.environ[f"{queue.upper()}_QUEUE_URL"] = url
            queues.purge_queue(QueueUrl=url)


@contextmanager
def stack() -> Iterator[Stack]:
    """Starts both servers. Each is ended by its own pid."""
    os.environ.pop("AWS_CA_BUNDLE", None)
    with (
        tempfile.TemporaryDirectory() as folder,
        dynoxide() as database,
        ministack(Path(folder)) as queues,
    ):
        os.environ |= {
            "AWS_ENDPOINT_URL_DYNAMODB": database,
            "AWS_ENDPOINT_URL_SQS": queues,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "TASKS_TABLE": "tasks",
            "RUNS_TABLE": "runs",
            "PARALLEL_CALLS": WIDTH,
        }
        started = Stack()
        for service in ("dynamodb", "sqs"):
            aws.client(service).meta.events.register("before-call.*", _counter(started.calls))
        yield started


def use(tables: str) -> None:
    """Uses tables of this mark from here on, beside the others of the same server."""
    os.environ |= {"TASKS_TABLE": f"tasks{tables}", "RUNS_TABLE": f"runs{tables}"}


def _counter(calls: Counter[str]) -> Any:  # noqa: ANN401 botocore's hook
    def count(model: Any, **_: object) -> None:  # noqa: ANN401 botocore's model of an operation
        calls[model.name] += 1

    return count


def daily_tasks(count: int, first_due_at: int, spread_sec: int) -> list[Task]:
    """Makes daily tasks whose next slots are spread evenly over some seconds."""
    now = int(time.time())
    return [
        Task(
            task_id=f"sch_{ids.token(26)}",
            tenant_id="acme",
            effective_from=now,
            compiled=pack(compile_schedule(_daily_at(first_due_at + place % spread_sec))),
            overlap="allow",
            max_concurrent=None,
            target={"type": "recording"},
            payload=PAYLOAD,
        )
        for place in range(count)
    ]


def _daily_at(instant: int) -> str:
    wall = time.gmtime(instant)
    return f"{wall.tm_sec} {wall.tm_min} {wall.tm_hour} * * *"


def register(tasks: Sequence[Task]) -> None:
    """Puts tasks as they are after their registration."""
    items = [item for task in tasks for item in (cursor(task, first_due(task)), task.item())]
    conditional_writer.write_many([Insert("tasks", item, ("task_id", "part")) for item in items])


def put_idle(count: int) -> None:
    """Registers tasks that are not due for a year, as fast as the database takes them."""
    database, now = aws.client("dynamodb"), int(time.time())
    compiled = pack(compile_schedule("0 0 1 1 *"))
    idle = Task(
        task_id="", tenant_id="acme", effective_from=now, compiled=compiled, target={"type": "x"}
    )
    item = typed_item(cursor(idle, now + 31_536_000))
    for first in range(0, count, _PUT_MAX):
        puts = []
        for _ in range(min(_PUT_MAX, count - first)):
            task_id = f"sch_{ids.token(26)}"
            keys = {"task_id": {"S": task_id}, "due_shard": {"N": str(shard_of(task_id))}}
            puts.append({"PutRequest": {"Item": item | keys}})
        database.batch_write_item(RequestItems={aws.table("tasks"): puts})
