"""Laws of backfills: which slots of the past are run again, and its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onthedot.core.attributes import plain_item
from onthedot.core.instants import nominal
from tests.simulation import true_slots
from tests.simulation.journal import Change, Journal
from tests.simulation.stage import Stage

# What a step reads is older than what it writes by no more.
_READ_MS = 10_000
_KEPT_SEC = 90 * 86_400
# The minute after its end looks at it once more, and so does the one after a crash.
_LOOKED_AT_MS = 180_000
_TO_NOTHING = frozenset({"", "dead", "skipped", "missed", "cancelled"})


@dataclass(slots=True)
class _Past:
    """What became of the slots of a task, and of the runs that backfills made of them."""

    # By the key of the slot, or the key of the backfill's run.
    changes: dict[str, list[Change]]

    def status(self, key: str, at_ms: float) -> str:
        """How it stood then; empty is not there."""
        seen = [one.after for one in self.changes.get(key, ()) if one.at_ms <= at_ms]
        return seen[-1].status if seen and seen[-1] else ""

    def born_ms(self, key: str) -> float:
        return self.changes[key][0].at_ms


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """By the slots that the task has, where no edit changed it."""
    items = [plain_item(item) for item in stage.world.store.scan(TableName="runs")["Items"]]
    loops = [item for item in items if str(item["task_id"]).startswith("backfill#")]
    for loop in loops:
        task_id = loop["wanted"]["task_id"]
        if len(journal.versions[task_id]) > 1:
            continue
        past = _past(journal, task_id)
        made = [
            str(item["scheduled_for"])
            for item in items
            if item.get("backfill_id") == loop["scheduled_for"]
        ]
        yield from _chosen(stage, loop, made, past)
        yield from _over(stage, loop, past)
    going = {item["scheduled_for"] for item in items if item["task_id"] == "loops#running"}
    last_ms = _last_look_ms(stage) - _LOOKED_AT_MS
    for loop in loops:
        if loop["scheduled_for"] in going and 0 < loop["ended_ms"] < last_ms:
            yield f"left over: {loop['scheduled_for']} is {loop['status']} and is still looked at"


def _last_look_ms(stage: Stage) -> float:
    """When a minute looked at what goes on for the last time."""
    start_ms = stage.world.epoch_us() / 1000 - stage.world.now_us / 1000
    looks = (each for each in stage.world.trace if each[1] is not None and each[1].kind == "step")
    return start_ms + max((each[0] / 1000 for each in looks), default=0.0)


def _past(journal: Journal, task_id: str) -> _Past:
    found: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        if change.task_id == task_id:
            found[change.key].append(change)
    return _Past(found)


def _slots(stage: Stage, loop: Mapping[str, Any]) -> list[str]:
    wanted = loop["wanted"]
    task = next(one for one in stage.tasks if one.task_id == wanted["task_id"])
    first, last = (datetime.fromisoformat(wanted[end]).timestamp() for end in ("first", "last"))
    return [nominal(slot) for slot in true_slots.slots(task, first - 1, last + 1)]


def _chosen(stage: Stage, loop: Mapping[str, Any], made: list[str], past: _Past) -> Iterator[str]:
    """Only slots of the wanted time that came to nothing are run, each one once at a time."""
    slots = set(_slots(stage, loop))
    for key in made:
        slot, _, number = key.partition("~b")
        read_ms = past.born_ms(key) - _READ_MS
        if slot not in slots:
            yield f"overshot: {loop['scheduled_for']} ran {slot}"
        if past.status(slot, read_ms) not in _TO_NOTHING:
            yield f"run again: {key} was {past.status(slot, read_ms)} by its own run"
        before = f"{slot}~b{int(number) - 1}"
        if int(number) > 1 and past.status(before, read_ms) in {"succeeded", "running"}:
            yield f"run again: {before} was {past.status(before, read_ms)} when {key} was made"


def _over(stage: Stage, loop: Mapping[str, Any], past: _Past) -> Iterator[str]:
    """One that is done has left no slot out that had come to nothing before it began."""
    task = next(one for one in stage.tasks if one.task_id == loop["wanted"]["task_id"])
    if loop["status"] == "running":
        # One by one may take longer than a history.
        if task.overlap == "allow" and task.max_concurrent is None:
            yield f"unfinished: {loop['scheduled_for']} still goes on"
        return
    ended_ms = loop["ended_ms"]
    if not loop["began_ms"] <= ended_ms or loop.get("expires_at") != ended_ms // 1000 + _KEPT_SEC:
        yield f"kept: {loop['scheduled_for']} ended at {ended_ms}, until {loop.get('expires_at')}"
    if loop["status"] == "cancelled" and _was_stopped(stage, loop["scheduled_for"]):
        return
    if loop["status"] != "done":
        # A user has stopped it.
        return
    for slot in _slots(stage, loop):
        seen = {past.status(slot, loop["began_ms"]), past.status(slot, ended_ms)}
        if seen <= _TO_NOTHING and f"{slot}~b1" not in past.changes:
            yield f"left out: {slot} has no run by {loop['scheduled_for']}"


def _was_stopped(stage: Stage, name: str) -> bool:
    """Whether a caller asked for its end."""
    return any(act.name == "stop" and name in getattr(act, "route", "") for act in stage.acts)
