"""Laws of edges: each slot near an edit is one version's, and no row stands for anything else.

Between the call and its answer nobody can say which version governs; one of them does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from onthedot.records.keys import is_slot_key
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.simulation.laws.timing.reigns import Reign, act_of, reigns
from tests.simulation.laws.waiting.laws_places import began
from tests.simulation.machine.journal import Journal, Version
from tests.simulation.stage import Stage

_GOING_ON = frozenset({"active", "paused"})


# What is due around a write may be the former version's or the new one's.
_EDGE_MS = 6_000


def phantoms(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no row for a slot that no version had: when it was due, or since its writer
    looked ahead.
    """
    first_ms, start = began(stage), nominal(int(stage.world.start.timestamp()) - 3_600)
    for change in journal.changes:
        after = change.after
        first = change.key.partition("~")[0]
        if change.before is not None or after is None:
            continue
        if not (after.range_to or is_slot_key(change.key)) or after.reason == "dst_gap":
            continue
        if first < start or change.writer is None:
            continue
        looked_ms = first_ms[change.writer.name.partition("/")[0]]
        for key in {first, after.range_to or first}:
            due_ms = _due_ms(journal, change.task_id, key, after.due_ms)
            since, until = min(looked_ms, due_ms) - _EDGE_MS, due_ms + _EDGE_MS
            if change.task_id.startswith("tsk_"):
                # One that is registered by a second try runs although its time has passed.
                until = max(until, change.at_ms)
            ruling = _in_force(stage, journal.versions[change.task_id], since, until)
            if not any(one.task.schedule.matches(parse_nominal(key)) for one in ruling):
                yield f"phantom: {change.run_id} stands for {key}, which was no slot then"


def _due_ms(journal: Journal, task_id: str, key: str, said_ms: int) -> float:
    """Returns the last slot of a range: the row does not say when it was due."""
    slot = parse_nominal(key)
    if slot * 1000 <= said_ms < (slot + 86_400) * 1000:
        return said_ms
    return journal.versions[task_id][-1].task.schedule.due_at(slot) * 1000


def _in_force(
    stage: Stage, versions: list[Version], since_ms: float, until_ms: float
) -> Iterator[Version]:
    """Versions that may govern then: one may count from its call on, which may take its time."""
    ends = [*(version.at_ms for version in versions[1:]), float("inf")]
    for version, end in zip(versions, ends, strict=True):
        act = act_of(stage, version)
        tries = act.tries.values() if act else ()
        if min((version.at_ms, *tries)) <= until_ms and end >= since_ms:
            yield version


def accounted(stage: Stage, journal: Journal, until_sec: float) -> Iterator[str]:
    """Checks that each slot that is due during an edit, and that every version has that may
    govern then.
    """
    begin = stage.world.start.timestamp()
    for task in stage.tasks:
        ruled = _settled(reigns(stage, journal, task.task_id))
        if task.name in stage.poisoned or task.max_runs is not None or len(ruled) < 2:
            continue
        found = _found(stage, task.task_id)
        for slot in sorted(set(_doubtful(ruled, begin + until_sec))):
            key = nominal(slot)
            if _is_owed(slot, ruled) and not any(one <= key <= last for one, last in found):
                yield f"lost: {task.name} {key} was due during an edit, and has no row"


def _settled(ruled: list[Reign]) -> list[Reign]:
    """Returns once a later version governs beyond doubt, nothing is left of an earlier one's
    doubt.
    """
    since, found = float("inf"), []
    for reign in reversed(ruled):
        since = min(since, reign.since)
        found.append(replace(reign, since=since))
    return found[::-1]


def _doubtful(ruled: list[Reign], over: float) -> Iterator[int]:
    """Yields slots that are due between the call of an edit and its answer."""
    for before, after in pairwise(ruled):
        schedule, until = after.task.schedule, min(after.since, over)
        slot = schedule.next(int(before.until) - schedule.jitter_offset_sec - 1)
        while slot is not None and schedule.due_at(slot) <= until:
            yield slot
            slot = schedule.next(slot)


def _is_owed(slot: int, ruled: list[Reign]) -> bool:
    """Tells whether each of these versions has it; what a pause leaves out is recorded at its
    end.
    """
    due = ruled[0].task.schedule.due_at(slot)
    involved: list[Reign] = []
    for before, after in pairwise(ruled):
        if before.until <= due <= after.since:
            involved += [before, after]
    # What was due before the task was there is nobody's.
    if (
        not involved
        or due <= ruled[0].task.effective_from
        or not {one.task.status for one in involved} <= _GOING_ON
    ):
        return False
    schedules = [one.task.schedule for one in involved]
    if not all(each.matches(slot) and each.due_at(slot) == due for each in schedules):
        return False
    return involved[-1].task.status == "active" or involved[-1].closed


def _found(stage: Stage, task_id: str) -> list[tuple[str, str]]:
    """Returns from which slot to which there are rows."""
    return [
        (run.key.partition("~")[0], run.range_to or run.key)
        for run in stage.rows().values()
        if run.task_id == task_id and (run.range_to or is_slot_key(run.key))
    ]
