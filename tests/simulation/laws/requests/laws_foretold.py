"""Laws of what was foretold: the API names the slots that come, all of them, in their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any
from urllib.parse import parse_qs

from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import Journal, Version
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

# So old may be what an index shows, and what a request has read.
_BEHIND_MS = 75_000
_NEXT = "/next"
# As docs/api.md says, if nobody asks for more.
_COUNT = ("5",)
_COMING = frozenset({"active", "paused"})


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Of one schedule, and of all that a tenant has."""
    off = clocks_off_sec(stage)
    for act in stage.acts:
        if isinstance(act, Ask) and act.said and _NEXT in act.route:
            yield from _of_one(journal, act, off)
        elif isinstance(act, Ask) and act.said and act.name == "look ahead":
            yield from _of_all(journal, act, off)


def _of_one(journal: Journal, ask: Ask, off: float) -> Iterator[str]:
    asked = parse_qs(ask.route.partition("?")[2])
    told, count = ask.said["fires"], int(asked.get("count", _COUNT)[0])
    since, latest = _between(ask, off)
    if "from" in asked:
        since = latest = parse_nominal(asked["from"][0])
    known = _meant(journal.versions[ask.route.split("/")[3]], ask)
    if any(one.task.status not in _COMING or one.task.max_runs is not None for one in known):
        return
    if not any(_agrees(one.task, told, count, (since, latest)) for one in known):
        slots = ", ".join(fire["at"] for fire in told)
        yield f"mistold: {known[0].task.name} is to fire at {slots or 'no time'} by {ask.route}"


def _agrees(task: Task, told: Sequence[Any], count: int, between: tuple[float, float]) -> bool:
    """Tells whether these are the first slots after some moment between the two."""
    since, latest = between
    slots = [parse_nominal(fire["at"]) for fire in told]
    end = task.schedule.end_at
    if end is None and len(slots) < count:
        return False
    until = end + 1 if end is not None else slots[-1] + 1
    every = [slot for slot in true_slots.slots(task, since, until) if _is_open(task, slot)]
    first = slots[0] if slots else float("inf")
    begin = sum(1 for _ in takewhile(lambda slot: slot < first and slot <= latest, every))
    due = [_instant(fire["due_at"]) for fire in told]
    return slots == every[begin : begin + count] and due == [
        true_slots.due_at(task, slot) for slot in slots
    ]


def _of_all(journal: Journal, ask: Ask, off: float) -> Iterator[str]:
    """What is told of schedules that nobody has changed for a while; tasks that run once are not.

    All of them have a place, if the answer is no first page only.
    """
    asked = parse_qs(ask.route.partition("?")[2])
    since, latest = _between(ask, off)
    until = parse_nominal(asked["to"][0])
    told: dict[str, dict[int, Any]] = defaultdict(dict)
    for fire in ask.said["data"]:
        told[fire["task_id"]][parse_nominal(fire["at"])] = fire
    if len(ask.said["data"]) == int(asked["limit"][0]):
        until = max(at for fires in told.values() for at in fires) - 1
    for task_id, versions in journal.versions.items():
        task = versions[-1].task
        edited = versions[-1].at_ms > ask.began_ms - _BEHIND_MS
        if edited or task.status != "active" or not task_id.startswith("sch_"):
            continue
        if "listed" not in task.shown or task.max_runs is not None:
            continue
        yield from _of_each(task, told[task_id], since, (latest, until))


def _of_each(
    task: Task, told: dict[int, Any], since: float, between: tuple[float, float]
) -> Iterator[str]:
    first, last = between
    true = set(true_slots.slots(task, since - 1, last + 1))
    for at in sorted(at for at in true - told.keys() if at > first):
        yield f"not foretold: {task.name} {nominal(at)} is not among what comes"
    for at, fire in told.items():
        if at <= last and at not in true:
            yield f"mistold: {task.name} {nominal(at)} is among what comes"
        elif (fire["excluded_by"] or "") != true_slots.closing(task, at):
            yield f"mistold: {task.name} {nominal(at)} is closed by {fire['excluded_by']}"


def _between(ask: Ask, off: float) -> tuple[float, float]:
    """Returns when the process that answered may have looked at its clock."""
    assert ask.answer is not None
    return ask.tries[ask.answer.process] / 1000 - off - 1, ask.answer.at_ms / 1000 + off + 1


def _meant(versions: Sequence[Version], ask: Ask) -> list[Version]:
    """Returns the versions that it may have read."""
    assert ask.answer is not None
    ends = [*(one.at_ms for one in versions[1:]), float("inf")]
    since = ask.tries[ask.answer.process] - _BEHIND_MS
    return [
        one
        for one, end in zip(versions, ends, strict=True)
        if one.at_ms <= ask.answer.at_ms and end >= since
    ]


def _is_open(task: Task, slot: int) -> bool:
    return not true_slots.closing(task, slot)


def _instant(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())
