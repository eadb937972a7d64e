"""Laws of what is written together with a task: its name, its former schedules, the audit trail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from onthedot.records.attributes import plain_item
from tests.simulation.laws.requests.laws_asked import befallen
from tests.simulation.laws.timing.reigns import act_of, end_of
from tests.simulation.machine.journal import Journal, Version
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

_CREATED = 201
# By the name of a request: the line, what of the answer it is about, whether it is written with it.
_TOLD: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "task": (("task.created", "task_id", True),),
    "take back": (("task.cancelled", "task_id", True),),
    "move": (("task.rescheduled", "task_id", True),),
    "key": (("key.created", "key_id", True),),
    "calendar": (("calendar.created", "calendar_id", True),),
    "trigger": (("schedule.triggered", "run_id", False),),
    "backfill": (("backfill.started", "backfill_id", False),),
    "replay letters": (("dead_letters.replay", "operation_id", False),),
    "purge letters": (("dead_letters.purge", "operation_id", False),),
    "stop": (
        ("backfill.cancelled", "backfill_id", False),
        ("dead_letters.operation_cancelled", "operation_id", False),
    ),
}


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """All or nothing: who dies over a change leaves nothing half told."""
    access = stage.world.store.scan(TableName="access")["Items"]
    lines = Counter(plain_item(item)["about"] for item in access if "about" in item)
    parts = {
        (item["task_id"]["S"], item["part"]["S"]): plain_item(item)
        for item in stage.world.store.scan(TableName="tasks")["Items"]
    }
    for task_id, versions in journal.versions.items():
        first, last = versions[0].task, versions[-1].task
        if task_id.startswith("tsk_") or task_id in stage.illegible:
            continue
        owner = parts.get((f"name#{last.tenant_id}#{last.name}", "name"), {}).get("of_task")
        if (owner == task_id) != (last.status != "deleted"):
            yield f"misnamed: the name of {last.name} is of {owner}, and it is {last.status}"
        for before, after in pairwise([first, *(one.task for one in versions)]):
            former = parts.get((task_id, f"rev#{before.schedule_version:06}"))
            changed = before.schedule_version != after.schedule_version
            if changed and (former is None or former["compiled"] != before.compiled):
                yield f"forgotten: schedule {before.schedule_version} of {last.name}"
        least, most = _told(stage, versions)
        if not least <= lines[task_id] <= most:
            yield f"untold: {lines[task_id]} lines tell of {least} to {most} changes of {last.name}"


def requests(stage: Stage) -> Iterator[str]:
    """Checks that who has done what stands on the trail, once the API has said that it is done."""
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.said]
    if not asks:
        return
    items = map(plain_item, stage.world.store.scan(TableName="access")["Items"])
    lines = {(item["what"], item["about"]) for item in items if "about" in item}
    hurt = befallen(stage)
    for ask in asks:
        for whole, line in _lines(ask):
            # What is told behind the write may be lost with a process; a part of it may not.
            if line not in lines and (whole or not hurt):
                yield f"untold: {' of '.join(line)}, which was asked by {ask.name}"


def _lines(ask: Ask) -> Iterator[tuple[bool, tuple[str, str]]]:
    """Yields what the trail says of a request, and whether that is a part of its write."""
    said = ask.said
    if ask.name == "tasks":
        made = [one["task"]["task_id"] for one in said["data"] if "task" in one]
        yield False, ("tasks.created", f"{len(made)} tasks from {made[0]}")
    # What was there already, or is only changed.
    by_name = ask.name in {"task", "calendar"}
    found = by_name and ask.answer is not None and ask.answer.status != _CREATED
    unmoved = ask.name == "move" and said["version"] == 1
    for what, name, whole in () if found or unmoved else _TOLD.get(ask.name, ()):
        if name in said:
            yield whole, (what, said[name])


def _told(stage: Stage, versions: list[Version]) -> tuple[int, int]:
    """Returns how many of the versions a caller made; the end of a pause may be
    the system's own.
    """
    seen = 0
    asked, by_itself = 0, 0
    for place, version in enumerate(versions):
        act = act_of(stage, version)
        # A calendar's change is told of the calendar, not of each task that names it.
        if version.task.version == seen or act is None or act.name == "calendar":
            continue
        seen = version.task.version
        asked += 1
        ended = place > 0 and end_of(versions[place - 1].task) < float("inf")
        by_itself += ended and version.task.status == "active"
    return asked - by_itself, asked
