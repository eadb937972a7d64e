"""Laws of backfills: which slots of the past are run again, and its end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.runs import overlap_gate
from onthedot.schedule.time.instants import nominal
from tests.simulation.laws.requests.laws_asked import befallen
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.waiting import laws_fills
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage

# What a step reads is older than what it writes by no more.
_READ_MS = 10_000
_KEPT_SEC = 90 * 86_400
# The minute after its end looks at it once more, and so does the one after a crash.
_LOOKED_AT_MS = 180_000
_TO_NOTHING = frozenset({"", "dead", "skipped", "missed", "cancelled"})
_OPEN = frozenset({"claimed", "running", "retrying", "awaiting"})
_AT_WORK = frozenset({"running", "awaiting"})
_OVER = frozenset({"succeeded", "dead", "cancelled"})
_STEPS = frozenset({"step", "loops"})
_MINUTE_MS = 60_000
# Some of its minutes may not have come.
_STUCK_MS = 300_000
# A minute begins late, and does other things before.
_LATE_MS = 15_000


@dataclass(slots=True)
class _Past:
    """What became of the slots of a task, and of the runs that backfills made of them."""

    # By the key of the slot, or the key of the backfill's run.
    changes: dict[str, list[Change]]
    # When the backfill began.
    begun_ms: float

    def status(self, key: str, at_ms: float) -> str:
        """Returns how it stood then; empty is not there."""
        seen = [one.after for one in self.changes.get(key, ()) if one.at_ms <= at_ms]
        return seen[-1].status if seen and seen[-1] else ""

    def statuses(self, key: str, since_ms: float, until_ms: float) -> set[str]:
        """Gives each status that it had between two times."""
        changes = (one for one in self.changes.get(key, ()) if since_ms < one.at_ms <= until_ms)
        return {self.status(key, since_ms), *(one.after.status for one in changes if one.after)}

    def born_ms(self, key: str) -> float:
        return self.changes[key][0].at_ms


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """By the slots that the task has, where no edit changed it."""
    items = [plain_item(item) for item in stage.world.store.scan(TableName="runs")["Items"]]
    loops = [item for item in items if str(item["task_id"]).startswith("backfill#")]
    calm = bool(loops) and not befallen(stage)
    for loop in loops:
        task_id = loop["wanted"]["task_id"]
        if len(journal.versions[task_id]) > 1:
            continue
        past = _past(journal, task_id, journal.loops[loop["scheduled_for"]].at_ms)
        made = [
            str(item["scheduled_for"])
            for item in items
            if item.get("backfill_id") == loop["scheduled_for"]
        ]
        yield from _chosen(stage, loop, made, past)
        yield from _over(stage, loop, made, past)
        if calm:
            yield from _paced(stage, loop, journal, made)
    if calm:
        yield from laws_fills.obeyed(stage, journal, loops)
        yield from _figures(stage, journal)
    going = {item["scheduled_for"] for item in items if item["task_id"] == "loops#running"}
    last_ms = _last_look_ms(stage) - _LOOKED_AT_MS
    for loop in loops:
        if loop["scheduled_for"] in going and 0 < loop["ended_ms"] < last_ms:
            yield f"left over: {loop['scheduled_for']} is {loop['status']} and is still looked at"


def _figures(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that the minutes count what their steps have launched."""
    minutes = [each for each in stage.figures if "audits" in each[1]]
    told = [(at_ms, said.get("backfilled", 0)) for at_ms, said in minutes]
    last_ms = max((at_ms for at_ms, _ in told), default=0.0)
    rows = stage.rows()
    launched = sum(
        one.before is None and "~b" in one.key and bool(rows[one.run_id].backfill_id)
        for one in journal.changes
        if one.writer is not None and one.writer.kind == "step" and one.at_ms < last_ms
    )
    said = sum(number for _, number in told)
    if told and _untrue(stage, said, launched):
        yield f"miscounted: the minutes say {said} of {launched}"


def _untrue(stage: Stage, said: float, made: int) -> bool:
    """Of two minutes at once, one launches what the other has left, and does not count it."""
    return said > made or (said < made and not stage.world.profile.double_tick)


def _last_look_ms(stage: Stage) -> float:
    """Returns when a minute looked at what goes on for the last time."""
    start_ms = stage.world.epoch_us() / 1000 - stage.world.now_us / 1000
    looks = (each for each in stage.world.trace if each[1] is not None and each[1].kind in _STEPS)
    return start_ms + max((each[0] / 1000 for each in looks), default=0.0)


def _past(journal: Journal, task_id: str, begun_ms: float) -> _Past:
    found: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        if change.task_id == task_id:
            found[change.key].append(change)
    return _Past(found, begun_ms)


def _slots(stage: Stage, loop: Mapping[str, Any]) -> list[str]:
    wanted = loop["wanted"]
    task = next(one for one in stage.tasks if one.task_id == wanted["task_id"])
    first, last = (datetime.fromisoformat(wanted[end]).timestamp() for end in ("first", "last"))
    return [nominal(slot) for slot in true_slots.slots(task, first - 1, last + 1)]


def _chosen(stage: Stage, loop: Mapping[str, Any], made: list[str], past: _Past) -> Iterator[str]:
    """Checks that only slots of the wanted time that came to nothing are run, each one once at a
    time.
    """
    slots = set(_slots(stage, loop))
    task = next(one for one in stage.tasks if one.task_id == loop["wanted"]["task_id"])
    for key in made:
        slot, _, number = key.partition("~b")
        read_ms = past.born_ms(key) - _READ_MS
        if slot not in slots:
            yield f"overshot: {loop['scheduled_for']} ran {slot}"
        if not past.statuses(slot, read_ms, past.born_ms(key)) & _outcomes(loop):
            yield f"run again: {key} was {past.status(slot, read_ms)} by its own run"
        if overlap_gate.guarded(task):
            yield from _crowded(key, past, (read_ms, past.born_ms(key)))
        before = f"{slot}~b{int(number) - 1}"
        if int(number) > 1 and past.status(before, read_ms) in {"succeeded", "running"}:
            yield f"run again: {before} was {past.status(before, read_ms)} when {key} was made"


def _crowded(key: str, past: _Past, between: tuple[float, float]) -> Iterator[str]:
    """Checks that where runs may not overlap freely, none is made while another one of the task
    is at work.
    """
    for other, changes in past.changes.items():
        if other == key:
            continue
        meanwhile = any(between[0] < one.at_ms < between[1] for one in changes)
        if not meanwhile and past.status(other, between[0]) in _AT_WORK:
            yield f"crowded: {key} was made while {other} was at work"


def _outcomes(loop: Mapping[str, Any]) -> frozenset[str]:
    """After which a slot is run again: what succeeded, only if all of them are wanted."""
    return _TO_NOTHING if loop["wanted"]["only_missing"] else _TO_NOTHING | {"succeeded"}


def _paced(
    stage: Stage, loop: Mapping[str, Any], journal: Journal, made: list[str]
) -> Iterator[str]:
    """Checks that where nothing goes wrong it keeps its pace, says how many it launched, and ends
    in time.
    """
    name, rate, mine = loop["scheduled_for"], loop["per_minute"], frozenset(made)
    launched = Counter(
        int((one.at_ms + one.skew_ms) // _MINUTE_MS)
        for one in journal.changes
        if one.before is None and one.task_id == loop["wanted"]["task_id"] and one.key in mine
    )
    twice = stage.world.profile.double_tick > 0
    if launched and max(launched.values()) > (1 + twice) * rate:
        yield f"too fast: {name} launched {max(launched.values())} in a minute, {rate} may be"
    said = loop["counts"].get("done", 0)
    if loop["status"] != "cancelled" and _untrue(stage, said, len(made)):
        yield f"miscounted: {name} says {said} of {len(made)}"
    task = next(one for one in stage.tasks if one.task_id == loop["wanted"]["task_id"])
    if task.overlap == "allow" and task.max_concurrent is None:
        # What others have filled meanwhile is left behind by the step after.
        left = max(made, default="").partition("~")[0] < max(_slots(stage, loop), default="")
        minutes = max(1, -(-len(made) // rate)) + left
        until_ms = journal.loops[name].at_ms + minutes * _MINUTE_MS + _LATE_MS
        if loop["ended_ms"] > until_ms:
            yield f"dawdled: {name} by {(loop['ended_ms'] - until_ms) / 1000:.0f} s"


def _over(stage: Stage, loop: Mapping[str, Any], made: list[str], past: _Past) -> Iterator[str]:
    """Checks that one that is done has left no slot out that had come to
    nothing before it began.
    """
    task = next(one for one in stage.tasks if one.task_id == loop["wanted"]["task_id"])
    if loop["status"] == "running":
        # One by one may take longer than a history, and so may what is to take its time.
        minutes = -(-len(_slots(stage, loop)) // loop["per_minute"])
        until_ms = past.begun_ms + minutes * _MINUTE_MS + _LOOKED_AT_MS
        may_be = until_ms < _last_look_ms(stage)
        if may_be and task.overlap == "allow" and task.max_concurrent is None:
            yield f"unfinished: {loop['scheduled_for']} still goes on"
        slot, seen_ms = loop["cursor"], _last_look_ms(stage) - _STUCK_MS
        mine = [past.status(one, seen_ms) for one in made if one.startswith(slot)]
        passed = past.status(slot, seen_ms) not in _outcomes(loop) | _OPEN
        if _OVER & {*mine} or (passed and not mine):
            yield f"stuck: {loop['scheduled_for']} stays at {slot}, which has run"
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
        if seen <= _outcomes(loop) and f"{slot}~b1" not in past.changes:
            yield f"left out: {slot} has no run by {loop['scheduled_for']}"


def _was_stopped(stage: Stage, name: str) -> bool:
    """Tells whether a caller asked for its end."""
    return any(act.name == "stop" and name in getattr(act, "route", "") for act in stage.acts)
