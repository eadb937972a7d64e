"""Laws of what fires no more: noted when nothing may fire and nothing is open, and then always."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from onthedot.records.keys import is_slot_key
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from tests.simulation.machine.journal import Change, Journal, Seen, Version
from tests.simulation.stage import Stage

# Between its look at the rows and its write the audit may stand still, until it is killed.
_LOOK_MS = 65_000
# Runs that were due two days before have had their attempts: the audit skips them.
_ATTEMPTED_FROM = "2026-11-16"
# Two looks of the audit, and what a stalled one takes.
_QUIET_MS = 240_000


def obeyed(stage: Stage, journal: Journal, *, noted: bool) -> Iterator[str]:
    """Checks every law of it; that all are noted is asked only where somebody notes."""
    end_ms = stage.world.epoch_us() / 1000
    for task in stage.tasks:
        if task.name in stage.poisoned or not task.task_id.startswith("sch_"):
            continue
        changes = [one for one in journal.changes if one.task_id == task.task_id]
        yield from _founded(task.name, journal.versions[task.task_id], changes)
        yield from _silent(journal, task, changes)
        if noted:
            yield from _never_missed(journal.versions[task.task_id][-1], changes, end_ms)


def _founded(name: str, versions: list[Version], changes: list[Change]) -> Iterator[str]:
    """Checks that at each version that says so, no slot is left to fire, or the
    runs are used up.
    """
    before: Version | None = None
    for version in versions:
        if version.task.status == "completed":
            over = {key for key, seen in _rows(changes, version.at_ms).items() if seen.final}
            left = _slot_left(version.task, version.at_ms, over)
            if left and not _used_up(version.task, changes, version.at_ms):
                yield f"completed in vain: {name} at version {version.task.version} has more"
            if before is not None and before.task.status != "completed":
                yield from _open_then(name, changes, version.at_ms)
        before = version


def _slot_left(task: Task, at_ms: float, over: Collection[str] = ()) -> bool:
    """Tells whether a slot is to come: one that was claimed and is over is none."""
    slot = task.schedule.next(max(task.effective_from, int(at_ms / 1000)))
    while slot is not None and nominal(slot) in over:
        slot = task.schedule.next(slot)
    return slot is not None


def _used_up(task: Task, changes: list[Change], at_ms: float) -> bool:
    """As many slots were claimed as it may have, those left out that a place was given back for."""
    if task.max_runs is None:
        return False
    rows = _rows(changes, at_ms)
    claimed = [seen for key, seen in rows.items() if is_slot_key(key) and "claimed_ms" in seen.life]
    return len(claimed) >= task.max_runs


def _open_then(name: str, changes: list[Change], at_ms: float) -> Iterator[str]:
    for key, seen in _rows(changes, at_ms, born_before=at_ms - _LOOK_MS).items():
        if not seen.final and key > _ATTEMPTED_FROM:
            yield f"completed too soon: {name} while {key} was {seen.status}"


def _silent(journal: Journal, task: Task, changes: list[Change]) -> Iterator[str]:
    """Checks that while it says so, its cursor is in no index, and none of its slots starts a
    first time.
    """
    spans = _completed(journal.versions[task.task_id])
    for move in journal.moves:
        due = move.task_id == task.task_id and "due_shard" in move.after
        if due and any(since <= move.at_ms < until for since, until in spans):
            yield f"completed and due: {task.name} at {move.after['next_run_at']}"
    for change in changes:
        first = change.started and change.after and change.after.attempt == 1
        inside = any(since < change.at_ms < until for since, until in spans)
        if first and inside and is_slot_key(change.key):
            yield f"completed and fired: {change.run_id}"


def _completed(versions: list[Version]) -> list[tuple[float, float]]:
    """Returns from when to when it said so; a write that ends it does so at its own moment."""
    ends = [*(one.at_ms for one in versions[1:]), float("inf")]
    return [
        (one.at_ms, until)
        for one, until in zip(versions, ends, strict=True)
        if one.task.status == "completed"
    ]


def _never_missed(last: Version, changes: list[Change], end_ms: float) -> Iterator[str]:
    """Checks that once all is calm, what is active has something to fire, or an open run."""
    task = last.task
    if task.status != "active" or last.at_ms > end_ms - _QUIET_MS:
        return
    rows = _rows(changes, end_ms)
    if any(not seen.final for seen in rows.values()):
        return
    if max((change.at_ms for change in changes), default=0.0) > end_ms - _QUIET_MS:
        return
    started = sum(is_slot_key(key) and seen.attempt > 0 for key, seen in rows.items())
    over = task.max_runs is not None and started >= task.max_runs
    if over or not _slot_left(task, end_ms):
        yield f"never noted: {task.name} is active at {nominal(int(end_ms / 1000))}"


def _rows(
    changes: list[Change], at_ms: float, *, born_before: float = float("inf")
) -> dict[str, Seen]:
    """Returns the rows as they were at a moment."""
    found: dict[str, Seen] = {}
    born: set[str] = set()
    for change in changes:
        if change.at_ms > at_ms:
            break
        if change.before is None and change.at_ms > born_before:
            born.add(change.key)
        if change.after is not None and change.key not in born:
            found[change.key] = change.after
    return found
