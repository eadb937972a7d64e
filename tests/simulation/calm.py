"""The calm world with its workers: a test moves its clock, calls flows, and reads the rows."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.keys import GATE
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from onthedot.upkeep.claims_audit import audit
from onthedot.work.dead_messages import bury
from onthedot.work.worker import work
from tests.schedule.samples import run
from tests.simulation.outside.consumer import Consumer
from tests.simulation.stage import Stage, make_task

NOON = int(datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp())
# Whatever runs beside whatever, and by itself.
FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}


def employ(stage: Stage) -> None:
    """Sets workers to the queues."""
    for queue in ("high", "normal", "low"):
        Consumer(stage.world, queue, "work", work, batch=10, limit_sec=900)
    Consumer(stage.world, "dead", "bury", bury, batch=10, limit_sec=60)


def add(stage: Stage, text: str, **given: Any) -> Task:
    """Puts a task that has been registered at noon; unless told otherwise its runs may overlap."""
    name = given.pop("name", "some")
    gated = {} if "overlap" in given else FREE
    task = make_task(name, text, stage.world, **gated, **given)
    stage.register(task)
    return task


def go(stage: Stage, until_sec: float, *, audited: bool = False) -> None:
    """Lets the time pass, with a tick each minute; the seconds count from noon."""
    world = stage.world
    now_sec = world.now_us / 1_000_000
    first = -(-now_sec // 60) * 60
    shards = stage.shards()
    world.every(60, "dispatch", lambda _: dispatch(shards), first_sec=first, until_sec=until_sec)
    if audited:
        world.every(60, "audit", lambda _: audit(), first_sec=first + 30, until_sec=until_sec)
    world.run(until_sec)


def wait(stage: Stage, until_sec: float) -> None:
    """Lets the time pass without a tick."""
    stage.world.run(until_sec)


def outcomes(stage: Stage, task: Task) -> dict[str, str]:
    """Returns every row of the task by its time of day (and mark): its status, and its reason if
    any.
    """
    found = sorted((run for run in runs(stage, task)), key=lambda run: run.key)
    return {run.key[11:-1] if run.key.endswith("Z") else run.key[11:]: said(run) for run in found}


def runs(stage: Stage, task: Task) -> list[Run]:
    """Returns every row of the task, oldest first."""
    found = [run for run in stage.rows().values() if run.task_id == task.task_id]
    return sorted(found, key=lambda run: run.key)


def said(run: Run) -> str:
    """Returns the status and its reason."""
    return f"{run.life.status}({run.life.reason})" if run.life.reason else run.life.status


def told(stage: Stage) -> list[tuple[int, int]]:
    """Returns what reached the target: the second after noon, and the attempt."""
    return [(round(one.at_ms / 1000) - NOON, one.attempt) for one in stage.deliveries]


def part(stage: Stage, task: Task, name: str) -> dict[str, Any]:
    """Returns one item of the task as it is stored."""
    key = typed_item({"task_id": task.task_id, "part": name})
    found = stage.world.store.get_item(TableName="tasks", Key=key)
    return plain_item(found["Item"])


def gate(stage: Stage, task: Task) -> dict[str, Any]:
    """Returns the lists of the task's gate."""
    key = typed_item({"task_id": task.task_id, "scheduled_for": GATE})
    found = stage.world.store.get_item(TableName="runs", Key=key)
    return dict(plain_item(found["Item"])["lists"]) if "Item" in found else {}


def partition(stage: Stage, start: str) -> list[dict[str, Any]]:
    """Returns all items of `runs` whose partition begins so."""
    found = [plain_item(item) for item in stage.world.store.scan(TableName="runs")["Items"]]
    return [item for item in found if item["task_id"].startswith(start)]


def spoil(stage: Stage, task: Task, name: str, **values: Any) -> None:
    """Changes an item of the task as no flow of ours would."""
    item = part(stage, task, name) | values
    stage.world.store.put_item(TableName="tasks", Item=typed_item(item))


def put_run(stage: Stage, item: dict[str, Any]) -> None:
    """Puts an item among the runs."""
    stage.world.store.put_item(TableName="runs", Item=typed_item(item))


def left_behind(stage: Stage, task: Task, minute: int = 1, **life: Any) -> None:
    """Puts a row as an earlier dispatcher left it; its slot is `minute` minutes after noon."""
    slot = NOON + 60 * minute
    given = {"claim_id": "D0", "due_ms": slot * 1000, "claimed_ms": NOON * 1000, **life}
    left = replace(run(nominal(slot), **given), task_id=task.task_id)
    put_run(stage, {**run_writes.insert(left, now_ms=NOON * 1000).item})


def unsettle(stage: Stage, key: dict[str, str], path: str, *, since: float, sec: float) -> None:
    """Lets a number of an item among the runs change every two milliseconds."""
    names = {f"#n{place}": name for place, name in enumerate(path.split("."))}

    def bump() -> None:
        stage.world.store.update_item(
            TableName="runs",
            Key=typed_item(key),
            UpdateExpression=f"SET {'.'.join(names)} = :n",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={":n": {"N": str(stage.world.now_us)}},
        )

    for number in range(int(sec * 500)):
        stage.world.call_at(since + number / 500, bump)


def waiting_messages(stage: Stage, queue: str = "normal") -> list[str]:
    """Returns the bodies of what is on a queue, seen or not."""
    return [message.body for message in stage.world.queues.queue(queue).messages.values()]


def purge(stage: Stage, queue: str = "normal") -> None:
    """Loses every message of a queue."""
    stage.world.queues.queue(queue).purge()


def sent(stage: Stage, body: str, queue: str = "normal") -> None:
    """Sends a message of one's own."""
    url = os.environ[f"{queue.upper()}_QUEUE_URL"]
    stage.world.queues.send_message(QueueUrl=url, MessageBody=body)
