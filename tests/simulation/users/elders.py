"""What lies in the tables from days ago when a history begins: runs that end, lists that expire."""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

from onthedot.records.attributes import typed_item
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.message_pack import of_run
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from tests.schedule.samples import lived
from tests.simulation.stage import Stage

_DAY_SEC = 86_400
# So often was its list carried on: the audit asks for it every quarter of an hour.
_CARRIED = 5


def settle_in(stage: Stage, seed: int, *, audited: bool) -> None:
    """Gives each task two runs whose rows' time is over soon, and one that waits for a retry.

    Where nobody audits, its message is there yet.
    """
    random = Random(f"elders {seed}")
    for task in stage.tasks:
        for status in ("succeeded", "dead"):
            _final(stage, task, status, random)
        run = _retrying(stage, task, random)
        if not audited:
            url, body = os.environ[f"{task.queue.upper()}_QUEUE_URL"], of_run(run, "retry").body()
            stage.world.queues.send_message(
                QueueUrl=url, MessageBody=body, MessageGroupId=task.tenant_id
            )


def _final(stage: Stage, task: Task, status: str, random: Random) -> None:
    """Puts a run that ended so long ago that TTL takes it in the middle of the history."""
    start = int(stage.world.start.timestamp())
    ended = start + random.randint(20, 400) - run_writes.HISTORY_SEC
    life = lived(
        status=status,
        reason="" if status == "succeeded" else "attempts_exhausted",
        attempt=1 if status == "succeeded" else task.max_attempts,
        due_ms=(ended - 2) * 1000,
        claimed_ms=(ended - 60) * 1000,
        owner="ELDER",
        started_ms=(ended - 1) * 1000,
        ended_ms=ended * 1000,
    )
    _put(stage, _run(task, ended - 2, life), ended)


def _retrying(stage: Stage, task: Task, random: Random) -> Run:
    """Returns listed three days ago, less than that its list is kept for; its message has been
    lost.
    """
    start = int(stage.world.start.timestamp())
    since = start + random.randint(20, 400) - manifest.KEPT_SEC
    life = lived(
        status="retrying",
        reason="failed",
        attempt=1,
        due_ms=(start + random.randint(30, 90)) * 1000,
        first_due_ms=since * 1000,
        claimed_ms=since * 1000,
        owner="ELDER",
        started_ms=since * 1000,
    )
    run = _run(task, since, life)
    _put(stage, run, since)
    (first,) = manifest.listing("ELDER", [manifest.entry(run)], now_ms=since * 1000)
    often = replace(first, carried=_CARRIED)
    carried = manifest.carried(often, first.entries, start + 60)
    stage.world.store.put_item(TableName="runs", Item=typed_item(carried.item()))
    return run


def _run(task: Task, slot: int, life: Life) -> Run:
    return Run(
        task_id=task.task_id,
        key=nominal(slot),
        tenant_id=task.tenant_id,
        origin="schedule",
        queue=task.queue,
        life=life,
    )


def _put(stage: Stage, run: Run, at_sec: int) -> None:
    item = run_writes.insert(run, now_ms=at_sec * 1000).item
    stage.world.store.put_item(TableName="runs", Item=typed_item(item))
