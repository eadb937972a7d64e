"""Laws of what is written together with a task: its name, its former schedules, the audit trail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from onthedot.core.attributes import plain_item
from tests.simulation.journal import Journal, Version
from tests.simulation.reigns import act_of, end_of
from tests.simulation.stage import Stage


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


def _told(stage: Stage, versions: list[Version]) -> tuple[int, int]:
    """How many of the versions a caller made; the end of a pause may be the system's own."""
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
