"""Reigns: from when to when one version of a task decided over its slots.

Told by the calls that made the versions, never by the times that the flows wrote into them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_instant
from tests.simulation.laws.timing import true_slots
from tests.simulation.machine.journal import Journal, Version
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act

_FOR_EVER = float("inf")


@dataclass(frozen=True, slots=True)
class Reign:
    """The seconds, both ends left out, over whose slots one version decided beyond doubt."""

    task: Task
    since: float
    until: float
    # A later version moved the cursor: what was due under this one is in the books by then.
    closed: bool


@dataclass(frozen=True, slots=True)
class _Doubt:
    """From when to when nobody can say whether a version governs yet."""

    begin: float
    end: float


def reigns(stage: Stage, journal: Journal, task_id: str) -> list[Reign]:
    """Returns a reign for each version; only the calls that made them, while
    under way, are left out.
    """
    versions = journal.versions[task_id]
    doubts = [
        _doubt(stage, version, versions[place - 1] if place else None)
        for place, version in enumerate(versions)
    ]
    ends = [*(each.begin for each in doubts[1:]), _FOR_EVER]
    return [
        Reign(version.task, doubt.end, end, _is_closed(version.task, versions[place + 1 :]))
        for place, (version, doubt, end) in enumerate(zip(versions, doubts, ends, strict=True))
    ]


def end_of(task: Task) -> float:
    """Gives when its pause is to end by itself, read from what the user wrote."""
    said = task.shown.get("paused") or {}
    until = said.get("until") if task.status == "paused" else None
    return parse_instant(until, "until") if until else _FOR_EVER


def slots_within(task: Task, since: float, until: float) -> Iterator[tuple[int, int]]:
    """Yields slots whose due time lies strictly between; none, where it is never beyond doubt."""
    if since >= until:
        return
    first = int(since) - task.schedule.jitter_offset_sec - 1
    for slot in true_slots.slots(task, first, until):
        due = true_slots.due_at(task, slot)
        if due >= until:
            return
        if due > since:
            yield slot, due


def clocks_off_sec(stage: Stage) -> float:
    """Returns by how much a clock of this history may have been off; zero where all are right."""
    corrected = max((abs(by) for by in stage.corrected.values()), default=0)
    return (stage.world.profile.skew_ms + corrected) / 1000


def act_of(stage: Stage, version: Version) -> Act | None:
    """Finds the call that wrote a version; what the system writes by itself has none."""
    if version.writer is None:
        return None
    name = version.writer.name.partition("/")[0]
    return next((act for act in stage.acts if name in act.tries), None)


def _doubt(stage: Stage, version: Version, before: Version | None) -> _Doubt:
    at = version.at_ms / 1000
    off = clocks_off_sec(stage)
    act = act_of(stage, version)
    if before is None:
        return _Doubt(at, at) if act is None else _of_call(act, version, off)
    end = end_of(before.task)
    own = _Doubt(at, at) if act is None else _of_call(act, version, off)
    if version.task.status != "active" or at < end - 1 - off:
        return own
    # The pause is over at its second, whenever that is written.
    backdated = _Doubt(end, end - 0.5)
    if act is None or at > end + off:
        return backdated
    return _Doubt(min(own.begin, backdated.begin), max(own.end, backdated.end))


def _of_call(act: Act, version: Version, off: float) -> _Doubt:
    """Returns from when the try that wrote it began until its caller had the answer, if ever."""
    assert version.writer is not None
    began_ms = act.tries[version.writer.name.partition("/")[0]]
    answered = act.acked_ms / 1000 if act.acked_ms else _FOR_EVER
    return _Doubt(began_ms / 1000 - off, answered + off)


def _is_closed(task: Task, later: list[Version]) -> bool:
    """Tells whether a later version has another cursor."""
    mine = (task.schedule_version, task.status)
    return any((one.task.schedule_version, one.task.status) != mine for one in later)
