"""Laws of slots: each has one outcome, and no cursor passes one that nobody sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from onthedot.records.keys import is_slot_key, run_id
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.simulation.laws.timing.reigns import Reign, reigns, slots_within
from tests.simulation.machine.journal import Change, Journal, Move, Seen
from tests.simulation.stage import Stage

# What was claimed shortly before a version governed may have been claimed under it.
_EDGE_SEC = 6
_PLANNED_MS = 60_000


def accounted(stage: Stage, journal: Journal, until_sec: float) -> Iterator[str]:
    """Checks that every slot of an active task, and of a pause that is over, has a row or lies in
    a range.
    """
    rows = stage.rows()
    end = stage.world.start.timestamp() + until_sec
    spans: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for run in rows.values():
        if run.range_to:
            spans[run.task_id].append((run.key.split("~", maxsplit=1)[0], run.range_to))
    for task in stage.tasks:
        if task.name in stage.poisoned:
            continue
        ruled = reigns(stage, journal, task.task_id)
        for place, reign in enumerate(ruled):
            paused = reign.task.status == "paused" and not reign.closed
            if reign.task.status in ENDED or paused:
                continue
            most = _still_to_come(ruled[place:], rows.values())
            slots = slots_within(reign.task, reign.since, min(reign.until, end))
            for count, (slot, _) in enumerate(slots):
                key = nominal(slot)
                covered = any(a <= key <= b for a, b in spans[task.task_id])
                if run_id(task.task_id, key) in rows or covered:
                    continue
                if most is None or count < most:
                    yield f"lost: {task.name} {key} has no row"


def _still_to_come(ruling: Sequence[Reign], rows: Iterable[Run]) -> int | None:
    """A bounded task owes so many slots from here on: what was claimed before it is counted.

    An edit may lower the bound before a dispatcher has come.
    """
    reign = ruling[0]
    if reign.task.max_runs is None:
        return None
    most = min(later.task.max_runs or 0 for later in ruling)
    before = [
        run
        for run in rows
        if run.task_id == reign.task.task_id
        and is_slot_key(run.key)
        and 0 < run.life.claimed_ms <= (reign.since + _EDGE_SEC) * 1000
    ]
    return most - len(before)


def counted(stage: Stage, journal: Journal, until_sec: float) -> Iterator[str]:
    """A task with `max_runs` claims so many slots, and no more; with edits, never more start."""
    rows = stage.rows().values()
    for task in stage.tasks:
        if task.max_runs is None:
            continue
        slots = [run for run in rows if run.task_id == task.task_id and is_slot_key(run.key)]
        started = sum(run.life.starts > 0 for run in slots)
        claimed = [run for run in slots if run.life.claimed_ms]
        most = max(one.task.max_runs or 0 for one in journal.versions[task.task_id])
        if started > most:
            yield f"too many: {task.name} has {started} runs of {most}"
        if any(act.task_id == task.task_id for act in stage.acts):
            continue
        # One that came to nothing may have been passed before or after it did.
        least = sum(not _given_up(run) for run in claimed)
        if not least <= min(task.max_runs, until_sec // 60) <= len(claimed):
            yield f"miscounted: {task.name} claimed {least} to {len(claimed)} of {task.max_runs}"


def bound_later(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that after an edit bounds a task, at most that many more runs start; later edits may
    raise it.
    """
    rows = stage.rows()
    first_ms: dict[str, float] = {}
    for change in journal.changes:
        first_ms.setdefault(change.run_id, change.at_ms)
    for task_id, versions in journal.versions.items():
        bounds = [one.task.max_runs for one in versions]
        since = next((place for place, most in enumerate(bounds) if most is not None), 0)
        if not since or None in bounds[since:]:
            continue
        # A process that planned before the edit may claim a little after it.
        after_ms = versions[since].at_ms + _PLANNED_MS
        started = [
            run_id
            for run_id, at_ms in first_ms.items()
            if run_id.startswith(task_id) and at_ms > after_ms and run_id in rows
            if is_slot_key(rows[run_id].key) and rows[run_id].life.attempt
        ]
        most = max(most or 0 for most in bounds[since:])
        if len(started) > most:
            yield f"too many: {task_id} has {len(started)} runs more, and {most} at most"


def unspent(stage: Stage) -> Iterator[str]:
    """Where no process dies, a bounded task has all of its runs, however often it was edited.

    But for a slot whose worker ends it in the very moment of the edit, before that can mark it.
    """
    rows = stage.rows().values()
    for task in stage.tasks:
        slots = [run for run in rows if run.task_id == task.task_id and is_slot_key(run.key)]
        started = sum(run.life.starts > 0 for run in slots)
        acts = [act for act in stage.acts if act.task_id == task.task_id]
        ends = [run.life.end.ended_ms for run in slots if run.life.end]
        met = any(a.began_ms <= ended_ms <= a.acked_ms for a in acts for ended_ms in ends)
        if task.max_runs and started < task.max_runs and not met:
            yield f"too few: {task.name} has {started} runs of {task.max_runs}"


def _given_up(run: Run) -> bool:
    """Missed or coalesced after all, by a dispatcher or by the worker."""
    missed = run.life.status == "missed" or run.life.reason == "coalesced"
    return missed and not run.life.attempt


def acknowledged(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a cursor moves past a slot only if that is final, started or sent."""
    unplanned = {task.task_id for task in stage.tasks if task.name in stage.poisoned}
    history: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in journal.changes:
        history[change.task_id, change.key].append(change)
    for move in journal.moves:
        same = move.before["next_run_at"] == move.after["next_run_at"]
        if move.before["version"] != move.after["version"] or (same and move.task_id in unplanned):
            continue
        yield from _passed(journal, history, move)


def _passed(
    journal: Journal, history: dict[tuple[str, str], list[Change]], move: Move
) -> Iterator[str]:
    task = _task_at(journal, move)
    first = parse_nominal(move.before["next_run_at"])
    last = parse_nominal(move.after["next_run_at"])
    if last < first:
        yield f"back: the cursor of {task.name} went from {first} to {last}"
    spans = [
        (key.split("~", maxsplit=1)[0], change.after.range_to)
        for (task_id, key), changes in history.items()
        if task_id == move.task_id
        for change in changes
        if change.after and change.after.range_to and change.at_ms <= move.at_ms
    ]
    final = "due_shard" not in move.after
    for slot, _ in slots_within(task, first - 1, last + (0.5 if final else 0)):
        if "runs_left" in move.after and final:
            break
        key = nominal(slot)
        seen = _at(history.get((move.task_id, key), []), move.at_ms)
        if seen is None:
            if not any(start <= key <= end for start, end in spans):
                yield f"passed: the cursor of {task.name} passed {key}, which has no row"
        elif seen.status == "claimed" and not seen.attempt:
            sent = journal.sent_ms.get(run_id(move.task_id, key), float("inf"))
            if sent > move.at_ms:
                yield f"unsent: the cursor of {task.name} passed {key} before it was sent"


def _task_at(journal: Journal, move: Move) -> Task:
    """Returns the task under the version that the cursor carries."""
    versions = journal.versions[move.task_id]
    return next(
        (one.task for one in versions if one.task.version == move.before["version"]),
        versions[0].task,
    )


def _at(changes: list[Change], at_ms: float) -> Seen | None:
    seen = None
    for change in changes:
        if change.at_ms > at_ms:
            break
        seen = change.after
    return seen
