"""A bucket in a history: payloads that items name and that none names, old ones and young ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.keys import payload_key
from onthedot.records.tasks import payloads
from onthedot.records.tasks.payloads import ASIDE, Away
from tests.simulation.stage import Stage

_AGES_SEC = (3_600, 80_000, 86_000, 90_000, 200_000)
_FOREIGN = ("notes.txt", "runs/odd", "tasks/sch_X/odd")


def prepared(stage: Stage) -> None:
    """Puts payloads: of each schedule's, one is named, and edits have left the others."""
    random = Random(f"bucket {stage.world.seed}")
    bucket = stage.world.bucket
    for task in stage.tasks:
        keys = [payloads.away(payloads.of_task(task.task_id, n), f"{n}").key for n in range(3)]
        for key in keys:
            aside = ASIDE if random.random() < 0.3 else ""
            bucket.put(f"{aside}{key}", b"{}", age_sec=random.choice(_AGES_SEC))
        named = random.choice(keys)
        item = replace(task, payload=Away(named)).item()
        stage.world.store.put_item(TableName="tasks", Item=typed_item(item))
        if random.random() < 0.5:
            # Runs of a former version may refer to another one.
            kept = {"task_id": task.task_id, "part": "spec#0000000000", "target": task.target}
            kept |= {"payload": payloads.written(Away(random.choice(keys)))}
            stage.world.store.put_item(TableName="tasks", Item=typed_item(kept))
        key = f"2026-11-16T12:00:00Z~m{random.randint(0, 9)}"
        of_run = payloads.away(payloads.of_run(task.task_id, key), "run").key
        bucket.put(of_run, b"{}", age_sec=random.choice(_AGES_SEC))
        if random.random() < 0.5:
            side = {"task_id": task.task_id, "scheduled_for": payload_key(key)}
            named_by_run = {**side, "payload": payloads.written(Away(of_run))}
            stage.world.store.put_item(TableName="runs", Item=typed_item(named_by_run))
    for key in _FOREIGN:
        bucket.put(key, b"{}", age_sec=_AGES_SEC[-1])


def named(stage: Stage) -> set[str]:
    """Returns every object that an item names."""
    found: set[str] = set()
    for table in ("tasks", "runs"):
        for item in stage.world.store.scan(TableName=table)["Items"]:
            said = plain_item(item).get("payload")
            if isinstance(said, str) and said.startswith("@"):
                found.add(said[1:])
    return found
