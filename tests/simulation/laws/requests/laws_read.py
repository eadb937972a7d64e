"""Laws of what is read: lists are whole and in order, figures of what is to come, health is true.

Judged where nothing goes wrong, by what callers had and what the stores held when they asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from onthedot.dispatch import due_tasks
from onthedot.records.attributes import typed_item
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_instant
from onthedot.upkeep import minute_tally
from tests.simulation.laws.timing import true_slots
from tests.simulation.machine.journal import Journal, Version, pairs
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask, Told

# What a claim or an edit takes until lists have it, and what clocks may differ by.
_EDGE_MS = 2_000
_HOUR_MS = 3_600_000
# A long list of what is to come is read once a minute; of very many, every five: docs/api.md.
_KEPT_MS, _MANY_KEPT_MS = 60_000, 300_000
_LONG, _MOST = 1_000, 100_000
# What a preview is asked of: every five minutes.
_EVERY_SEC = 300
# The minutes after an edit of a calendar go through the tasks that name it.
_RECOMPUTED_MS = 180_000
# An answer of health is five seconds old at most, and a minute's acts come before its sign.
_LATE_SEC, _STOPPED_SEC, _EDGE_SEC = 90, 180, 15
# How far ahead a dispatch lists; and an audit may be at work until the next minute.
_AHEAD_MIN = 8
# An answer is good for five seconds, in each environment of the API.
_SOON_MS, _MANY = 4_000, 10


class _Walk(NamedTuple):
    """A list that was read from its first page to its last, or to the last that a caller wants."""

    asks: Sequence[Ask]
    shown: Sequence[dict[str, Any]]
    began_ms: float
    ended_ms: float
    tenant_id: str


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each of them, where all that is asked for is answered."""
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    read = [ask for ask in asks if ask.name.startswith(("runs ", "upcoming "))]
    if not read or stage.world.chooser.faults:
        return
    walks = [list(pages) for _, pages in groupby(_by_name(read), key=lambda ask: ask.name)]
    for walk in map(_walk, walks):
        if walk is None:
            continue
        yield from _paged(walk)
        if walk.asks[-1].said["next_cursor"] is not None:
            yield from _endless(walk)
            continue
        yield from _ran(stage, journal, walk) if _of_runs(walk) else _coming(stage, journal, walk)
    for ask in asks:
        if ask.name == "preview" and ask.said:
            yield from _met(stage, journal, ask)
    signs = _signs(stage)
    yield from _lean(stage, signs["audit"])
    for told in (told for ask in asks if ask.name == "health" for told in ask.told if told.text):
        yield from _well(stage, signs, told)


def _lean(stage: Stage, signs: Sequence[float]) -> Iterator[str]:
    """Checks that a list reads only the minutes that the audit has not sorted since its last
    look.
    """
    start = stage.world.start.timestamp()
    asked: dict[str, tuple[float, set[str]]] = {}
    for at_us, process, what, request, *_ in stage.world.trace:
        if process is not None and process.kind == "api" and what == "query":
            named = request.get("ExpressionAttributeValues", {}).get(":p", {}).get("S", "")
            if named.startswith("check#"):
                asked.setdefault(process.name, (start + at_us / 1e6, set()))[1].add(named)
    for name, (at, minutes) in asked.items():
        ago = at - max((one for one in signs if one <= at), default=at - _HOUR_MS / 1000)
        if len(minutes) > ago / 60 + _AHEAD_MIN:
            yield f"dear: {name} read {len(minutes)} minutes, {ago:.0f} s after the audit"


def _by_name(asks: Sequence[Ask]) -> list[Ask]:
    return sorted(asks, key=lambda ask: (ask.name, ask.began_ms))


def _of_runs(walk: _Walk) -> bool:
    return walk.asks[0].name.startswith("runs ")


def _walk(asks: Sequence[Ask]) -> _Walk | None:
    """Returns none: a page of it was not told."""
    if not all(ask.said for ask in asks):
        return None
    shown = [each for ask in asks for each in ask.said["data"]]
    return _Walk(asks, shown, asks[0].began_ms, asks[-1].told[-1].at_ms, asks[0].tenant_id)


def _paged(walk: _Walk) -> Iterator[str]:
    """Checks that no page is longer than asked for, and nothing comes twice or out of its order."""
    limit = int(_asked(walk, "limit"))
    if any(len(ask.said["data"]) > limit for ask in walk.asks):
        yield f"too long: a page of {walk.asks[0].route}"
    places = [_place(each) for each in walk.shown]
    if _of_runs(walk):
        places.reverse()
    for one, other in pairwise(places):
        if one >= other:
            yield f"out of order: {walk.asks[0].route} shows {one} and {other}"


def _endless(walk: _Walk) -> Iterator[str]:
    """Checks that who reads on and on comes to an end: few pages have less than was asked for."""
    if (
        not _asked(walk, "origin")
        and len(walk.shown) < len(walk.asks) * int(_asked(walk, "limit")) / 2
    ):
        yield f"endless: {len(walk.asks)} pages of {walk.asks[0].route} show {len(walk.shown)}"


def _place(shown: dict[str, Any]) -> tuple[str, str]:
    if "run_id" in shown:
        return shown["due_at"], shown["run_id"]
    return shown["at"], shown["task_id"]


def _asked(walk: _Walk, name: str) -> str:
    query = dict(each.split("=") for each in walk.asks[0].route.partition("?")[2].split("&"))
    return query.get(name, "")


def _ran(stage: Stage, journal: Journal, walk: _Walk) -> Iterator[str]:
    """Checks that each run that was due within the hour is shown, and no other one."""
    until_ms = walk.ended_ms
    if until := _asked(walk, "to"):
        until_ms = min(until_ms, parse_instant(until, "to") * 1000 + 999)
    shown = {each["run_id"] for each in walk.shown}
    for run, due_ms, born_ms in _runs(stage, journal):
        mine = run.tenant_id == walk.tenant_id
        fits = _asked(walk, "origin") in ("", run.origin)
        recent = walk.ended_ms - _HOUR_MS + _EDGE_MS < due_ms < min(until_ms, walk.began_ms)
        if mine and fits and recent and max(born_ms, due_ms) < walk.began_ms - _EDGE_MS:
            if run.run_id not in shown:
                yield f"not listed: {run.run_id} by {walk.asks[0].route}"
        elif run.run_id in shown and not (mine and fits and _about(walk, due_ms, until_ms)):
            yield f"listed in vain: {run.run_id} by {walk.asks[0].route}"


def _about(walk: _Walk, due_ms: int, until_ms: float) -> bool:
    """Tells whether it may be shown, by a clock that is right."""
    return walk.began_ms - _HOUR_MS - _EDGE_MS < due_ms < until_ms + _EDGE_MS


def _runs(stage: Stage, journal: Journal) -> Iterator[tuple[Run, int, float]]:
    """Yields those that were listed, with when each was due, if no edit moved it, and when it was
    put.
    """
    rows = stage.rows()
    for change in journal.changes:
        claimed = change.before is None and change.after and "claimed_ms" in change.after.life
        run = rows.get(change.run_id) if claimed else None
        if change.after and run is not None and run.life.due_first_ms == change.after.due_ms:
            yield run, change.after.due_ms, change.at_ms


def _coming(stage: Stage, journal: Journal, walk: _Walk) -> Iterator[str]:
    """Checks that what is to fire is shown as the schedules had it at the time that the answer
    names.
    """
    read_ms = [_ms(ask.said["as_of"]) for ask in walk.asks]
    if not _steady(stage, journal, min(read_ms), walk.ended_ms):
        return
    tasks = _active(journal, walk.tenant_id, min(read_ms))
    many = stage.sizes.listed or _LONG
    very = stage.sizes.read_max or 2 * many
    kept_ms = 0 if len(tasks) <= many else _KEPT_MS if len(tasks) <= very else _MANY_KEPT_MS
    for ask, at_ms in zip(walk.asks, read_ms, strict=True):
        if ask.told[-1].at_ms - at_ms > kept_ms + _EDGE_MS:
            yield f"old: {ask.route} tells of {ask.said['as_of']}"
    last = parse_instant(_asked(walk, "to"), "to")
    wanted = {
        (nominal(at), task.task_id): (nominal(due_at), true_slots.closing(task, at) or None)
        for task in tasks
        for at, due_at in _fires(task, int(walk.began_ms // 1000) - 1, last)
    }
    most = stage.sizes.read_max or 3 * stage.sizes.listed or _MOST
    whole = all(ask.said["complete"] for ask in walk.asks)
    recurring = sum(task.task_id.startswith("sch_") for task in tasks)
    # A one-off task leaves the list at its time, and clocks differ.
    if recurring > most if whole else max(recurring, len(tasks) - recurring) <= most:
        said = "whole" if whole else "cut"
        yield f"said to be {said}: {walk.asks[0].route} of {len(tasks)} tasks"
    if whole:
        sure = nominal(int(walk.ended_ms // 1000) + 1)
        for at, task_id in wanted.keys() - {_place(each) for each in walk.shown}:
            if at >= sure:
                yield f"not announced: {task_id} {at}"
    for each in walk.shown:
        shown = f"{each['due_at'][:19]}Z", each["excluded_by"]
        if wanted.get(_place(each)) != shown:
            yield f"announced: {_place(each)} as {shown}, not {wanted.get(_place(each))}"


def _fires(task: Task, after: int, last: int) -> Iterator[tuple[int, int]]:
    for at in true_slots.slots(task, after, last + 1):
        yield at, true_slots.due_at(task, at)


def _met(stage: Stage, journal: Journal, ask: Ask) -> Iterator[str]:
    """Checks that a preview counts the schedules that have a slot in the minute
    of its first one.
    """
    said = ask.said["collisions"]
    since_ms = ask.began_ms - (_MANY_KEPT_MS if stage.sizes.listed else _KEPT_MS)
    if not said["complete"] or not _steady(stage, journal, since_ms, ask.told[-1].at_ms):
        return
    first = (parse_instant(ask.body["from"], "from") // _EVERY_SEC + 1) * _EVERY_SEC
    tasks = _active(journal, ask.tenant_id, ask.began_ms)
    meets = [
        task
        for task in tasks
        if task.task_id.startswith("sch_") and any(true_slots.slots(task, first - 1, first + 60))
    ]
    if said["same_minute"] != len(meets):
        yield f"miscounted: {said['same_minute']} of {len(meets)} meet {nominal(first)}"


def _steady(stage: Stage, journal: Journal, since_ms: float, until_ms: float) -> bool:
    """Tells whether all was then as it had been: no edit, and no calendar that is on its way."""
    written = (one.at_ms for versions in journal.versions.values() for one in versions)
    if any(since_ms - _EDGE_MS < at_ms < until_ms for at_ms in written):
        return False
    calendars = (act for act in stage.acts if "calendar" in act.name)
    return not any(
        act.began_ms < until_ms and (act.acked_ms or until_ms) > since_ms - _RECOMPUTED_MS
        for act in calendars
    )


def _active(journal: Journal, tenant_id: str, at_ms: float) -> list[Task]:
    found = [_then(versions, at_ms) for versions in journal.versions.values()]
    mine = [task for task in found if task is not None and task.tenant_id == tenant_id]
    return [task for task in mine if task.status == "active" and _recurs(task, at_ms)]


def _then(versions: Sequence[Version], at_ms: float) -> Task | None:
    before = [one.task for one in versions if one.at_ms <= at_ms]
    return before[-1] if before else None


def _recurs(task: Task, at_ms: float) -> bool:
    """A task that runs once has run by its time."""
    start_at = task.schedule.start_at
    once = not task.task_id.startswith("sch_")
    return not once or start_at is None or start_at >= at_ms // 1000


def spared(stage: Stage) -> Iterator[str]:
    """Checks that anybody may ask how it is: most who ask soon after another are told what that
    one was.
    """
    asked = [act for act in stage.acts if isinstance(act, Ask) and act.name == "health"]
    if len(asked) < _MANY or stage.world.chooser.faults:
        return
    looked = set()
    for _, process, what, request, *_ in stage.world.trace:
        if process is None or process.kind != "api":
            continue
        if what == "get_item" and request["Key"] == typed_item(due_tasks.KEY):
            looked.add(process.name)
        minutes = {"S": minute_tally.MINUTES} in request.get(
            "ExpressionAttributeValues", {}
        ).values()
        if what == "query" and minutes and request.get("ConsistentRead"):
            yield "dear: the newest minute is read for twice the price"
    told = sorted((one for ask in asked for one in ask.told), key=lambda one: one.at_ms)
    soon = [one for before, one in pairwise(told) if one.at_ms - before.at_ms < _SOON_MS]
    again = sum(one.process in looked for one in soon)
    if len(soon) >= _MANY and again > len(soon) / 2:
        yield f"dear: of {len(soon)} who asked soon after another {again} had it looked up"


def _signs(stage: Stage) -> dict[str, list[float]]:
    """Returns when a tick and an audit's minute were written down, in seconds."""
    found: dict[str, list[float]] = {"tick": [], "audit": []}
    for at_us, key, _, after in pairs(stage.world, "runs"):
        if after is not None and key == tuple(due_tasks.KEY.values()):
            found["tick"].append(at_us / 1_000_000)
        elif after is not None and key[0] == minute_tally.MINUTES:
            found["audit"].append(at_us / 1_000_000)
    return found


def _well(stage: Stage, signs: dict[str, list[float]], told: Told) -> Iterator[str]:
    """Ticks and audits are said to be as long ago as they were."""
    said, now = told.body, told.at_ms / 1000
    for name, times in signs.items():
        ago = now - max((at for at in times if at <= now), default=stage.world.start.timestamp())
        first = now - min(times, default=now)
        allowed = _states(ago) if first > _EDGE_SEC else {"unknown", "ok"}
        allowed = allowed if times else {"unknown"}
        if said[name] not in allowed:
            yield f"untrue: {name} is said to be {said[name]} {ago:.0f} s after its last sign"
    if (said["status"] == "down") != (said["tick"] == "stopped"):
        yield f"untrue: {said}"
    if (told.status == 503) != (said["status"] == "down"):
        yield f"untrue: {told.status} says {said}"
    if (said["queue"] == "ok") != (said["audit"] == "ok"):
        yield f"untrue: the queue is said to be {said['queue']}, the audit {said['audit']}"


def _states(ago: float) -> set[str]:
    bounds = {
        "ok": (0, _LATE_SEC),
        "late": (_LATE_SEC, _STOPPED_SEC),
        "stopped": (_STOPPED_SEC, float("inf")),
    }
    return {
        state
        for state, (least, most) in bounds.items()
        if least - _EDGE_SEC <= ago <= most + _EDGE_SEC
    }


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)
