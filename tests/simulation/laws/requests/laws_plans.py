"""Laws of what is foretold: when it fires next, what a resume would run, what an edit would leave.

Judged by brute force over the schedule that was in force when the API answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from onthedot.records.keys import is_slot_key
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.definition import fields_of
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import clocks_off_sec, end_of
from tests.simulation.machine.journal import SKEW_MS, Change, Journal, Version
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

# A clock of the API, and the rest of a second.
_EDGE_SEC = SKEW_MS / 1000 + 1.5
_LOOKED_AT = 200


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    for act in stage.acts:
        if not isinstance(act, Ask) or not act.said or act.answer is None:
            continue
        said, versions = act.said, journal.versions
        if "next_run_at" in said and said.get("task_id") in versions:
            yield from _as_it_is(act, said, versions[said["task_id"]])
        effects = said.get("effects") or {}
        known = versions.get(_named(act.route), [])
        seen = [one for one in known if one.at_ms <= act.answer.at_ms]
        if effects.get("action") == "resume":
            yield from _of_resume(act, effects, seen, clocks_off_sec(stage))
        elif effects.get("action") == "change" and seen:
            yield from _of_change(act, effects["schedule"], seen, journal)


def _named(route: str) -> str:
    """Names the schedule that a request is about."""
    parts = route.partition("?")[0].split("/")
    return parts[3] if len(parts) > 3 else ""


def _as_it_is(ask: Ask, said: Mapping[str, Any], versions: Sequence[Version]) -> Iterator[str]:
    """Each field, and the next slot, of the version that it shows."""
    mine = next((one.task for one in versions if one.task.version == said["version"]), None)
    if mine is None:
        return
    for field, value in fields_of(mine).items():
        if field != "status" and said.get(field) != value:
            yield f"shown otherwise: {field} of {mine.task_id} is {value!r}, not {said[field]!r}"
    yield from _next(ask, said, mine)


def _next(ask: Ask, said: Mapping[str, Any], task: Task) -> Iterator[str]:
    """Checks that what fires next, or would if it were not paused, is the first slot that is
    open.
    """
    assert ask.answer is not None
    told = said["next_run_at"] or said.get("would_run_at")
    if task.max_runs is not None or (told is None and said["status"] == "completed"):
        return
    least = _first(task, ask.began_ms / 1000 - _EDGE_SEC)
    most = _first(task, ask.answer.at_ms / 1000 + _EDGE_SEC)
    if told is None:
        if most is not None:
            yield f"not foretold: {task.task_id} fires at {nominal(most)}"
    elif not (least or 0) <= parse_nominal(told) <= (most or float("inf")):
        yield f"foretold otherwise: {task.task_id} at {told}, not {nominal(least or 0)}"


def _first(task: Task, after: float) -> int | None:
    found = islice(true_slots.slots(task, after, after + 7_200), _LOOKED_AT)
    return next((slot for slot in found if not true_slots.closing(task, slot)), None)


def _of_resume(
    ask: Ask, effects: Mapping[str, Any], seen: Sequence[Version], off_sec: float
) -> Iterator[str]:
    """Checks that a resume would run the slots that passed since the pause: all
    of them, or the newest.
    """
    if not seen or seen[-1].task.status != "paused" or ask.answer is None:
        return
    task, mode = seen[-1].task, (ask.body or {}).get("catchup", "none")
    began = next(
        place for place in range(len(seen) - 1, -1, -1) if place == 0 or _begins(seen, place)
    )
    since = max(seen[began].at_ms / 1000, task.effective_from)
    now, end = ask.answer.at_ms / 1000, end_of(task)
    if seen[-1].at_ms > ask.began_ms:
        return
    # No slot of the future, down to its second.
    may = _nominals(task, since - _EDGE_SEC, min(now + off_sec, end + 1))
    must = _nominals(task, since + _EDGE_SEC, min(ask.began_ms / 1000, end) - _EDGE_SEC)
    shown = effects["will_run"]
    if mode == "none" and shown:
        yield f"caught up unasked: {task.task_id} would run {shown}"
    if not set(shown) <= set(may):
        yield f"caught up otherwise: {task.task_id} would run {shown}, of {may}"
    if mode == "all" and not set(must) <= set(shown):
        yield f"not caught up: {task.task_id} would run {shown}, not {must}"
    if mode == "latest" and must and (len(shown) != 1 or shown[0] < must[-1]):
        yield f"not caught up: {task.task_id} would run {shown}, not {must[-1]}"


def _begins(seen: Sequence[Version], place: int) -> bool:
    """Tells whether it is the version with which a pause begins, or another schedule within it."""
    before, after = seen[place - 1].task, seen[place].task
    return before.status != "paused" or before.schedule_version != after.schedule_version


def _nominals(task: Task, since: float, until: float) -> list[str]:
    found = true_slots.slots(task, since, until)
    return [nominal(slot) for slot in found if not true_slots.closing(task, slot)]


def _of_change(
    ask: Ask, shown: Mapping[str, Any], seen: Sequence[Version], journal: Journal
) -> Iterator[str]:
    """Checks what an edit would leave: the fields that were asked for, and as many runs."""
    for field, value in (ask.body or {}).items():
        if value is not None and shown[field] != value:
            yield f"foretold otherwise: {field} of {seen[0].task.task_id} would be {shown[field]!r}"
    most = shown["max_runs"]
    if most is None or len(seen) > 1:
        return
    task_id = seen[0].task.task_id
    claimed = [
        sum(
            one.before is None and is_slot_key(one.key) and _is_claimed(one)
            for one in journal.changes
            if one.task_id == task_id and one.at_ms <= at_ms
        )
        for at_ms in (ask.began_ms, ask.answer.at_ms if ask.answer else 0.0)
    ]
    if not max(0, most - claimed[1]) <= shown["runs_left"] <= max(0, most - claimed[0]):
        left = shown["runs_left"]
        yield f"foretold otherwise: {task_id} has {left} of {most}, {claimed[1]} are claimed"


def _is_claimed(change: Change) -> bool:
    return change.after is not None and change.after.status == "claimed"
