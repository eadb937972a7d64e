"""Laws of concurrency keys: never more at once, never too many in a period, nobody out of turn."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping

from onthedot.schedule.time.instants import moment
from tests.simulation.laws.timing.true_bounds import Limit, limit_of
from tests.simulation.machine.journal import SKEW_MS, Change, Held, Journal
from tests.simulation.stage import Stage

# Two clocks differ by so much.
_SKEW_MS = 2 * SKEW_MS
# Between a turn that is taken, or told late, and the write of its start.
_EDGE_MS = 150


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Places, rate and order, key by key; of one that tasks have left, the order alone."""
    moved = rekeyed(journal)
    for limit, task_ids in _keys(stage).items():
        changes = [one for one in journal.changes if one.task_id in task_ids]
        if limit.most:
            if not task_ids & moved:
                yield from _crowded(limit, changes)
            yield from _overtaken(journal.gates[limit.place], _launched(changes))
            yield from _stranded(stage, journal.gates[limit.place])
        if limit.count and not task_ids & moved:
            booked_ms = journal.bookings[limit.place]
            yield from _hurried(limit, changes, booked_ms, prompt=_prompt(stage))


def _prompt(stage: Stage) -> bool:
    """Tells whether a start follows its turn at once: no process stands still, all clocks are
    right.
    """
    profile, chooser = stage.world.profile, stage.world.chooser
    return not (chooser.drawn or chooser.only or profile.skew_ms or profile.outages)


def rekeyed(journal: Journal) -> set[str]:
    """Names the tasks that an edit gave another key."""
    found = set()
    for task_id, versions in journal.versions.items():
        keys = [one.task.shown.get("concurrency_key") for one in versions]
        if any(key != keys[0] for key in keys):
            found.add(task_id)
    return found


def _keys(stage: Stage) -> dict[Limit, set[str]]:
    """Returns the tasks under each key; the keys of histories name nothing of a run."""
    found: dict[Limit, set[str]] = defaultdict(set)
    for task in stage.tasks:
        limit = limit_of(task)
        if limit is not None:
            found[limit].add(task.task_id)
    return found


def _crowded(limit: Limit, changes: list[Change]) -> Iterator[str]:
    """Checks that between its first start and its outcome a run has a place."""
    inside: set[str] = set()
    for change in changes:
        if change.after is None:
            continue
        if change.after.final:
            inside.discard(change.run_id)
        elif change.after.attempt:
            inside.add(change.run_id)
            if change.started and len(inside) > limit.most:
                yield f"crowded: {sorted(inside)} share a key, {limit.most} may"


def _hurried(
    limit: Limit, changes: list[Change], booked_ms: list[int], *, prompt: bool
) -> Iterator[str]:
    """Starts and bookings keep to the rate; none but a takeover comes without one, or before it.

    A worker that stalls may start late: then two starts are nearer than their bookings.
    """
    for soon, late in zip(booked_ms, booked_ms[limit.count :], strict=False):
        if late - soon < limit.per_ms:
            yield f"hurried: {limit.count + 1} starts of a key booked within {late - soon} ms"
    started_ms = [
        change.at_ms
        for change in changes
        if change.started and change.before is not None and change.before.status != "running"
    ]
    for soon_ms, late_ms in zip(started_ms, started_ms[limit.count :], strict=False):
        if prompt and late_ms - soon_ms < limit.per_ms - _EDGE_MS:
            took = late_ms - soon_ms
            yield f"too many: {limit.count + 1} starts of a key within {took:.0f} ms"
    if len(started_ms) > len(booked_ms):
        yield f"unbooked: {len(started_ms)} starts of a key, {len(booked_ms)} booked"
    for at_ms, since_ms in zip(started_ms, sorted(booked_ms), strict=False):
        if at_ms < since_ms - _SKEW_MS:
            yield f"early: a start of a key {since_ms - at_ms:.0f} ms before its turn"


def _overtaken(gates: list[Held], launched: Mapping[str, str]) -> Iterator[str]:
    """Checks that of those who go on waiting, none had been due for longer than the one that
    takes a place.
    """

    def due(run_id: str) -> str:
        slot = run_id.partition(".")[2].partition("~")[0]
        return launched.get(run_id, slot if "." in slot else slot.replace("Z", ".000Z"))

    for before, after in itertools.pairwise(gates):
        for run_id in set(after.holders) - set(before.holders):
            waiting = set(before.waiting) & set(after.waiting)
            passed = [each for each in waiting if due(each) < due(run_id)]
            if passed:
                yield f"overtaken: {run_id} entered before {sorted(passed)}"


def _launched(changes: list[Change]) -> dict[str, str]:
    """Returns the runs of backfills and resumes are due when they are launched, all of a step at
    once.
    """
    born = {one.run_id: one.at_ms for one in reversed(changes) if "~b" in one.key}
    named = {run_id: moment(int(at_ms)) or "" for run_id, at_ms in born.items()}
    return {run_id: at.replace("-", "").replace(":", "") for run_id, at in named.items()}


def _stranded(stage: Stage, gates: list[Held]) -> Iterator[str]:
    """Checks that at a calm end nobody waits behind runs that are all final."""
    rows = stage.rows()
    last = gates[-1] if gates else Held(0, (), ())
    waiting = [run_id for run_id in last.waiting if run_id in rows and not rows[run_id].final]
    holding = [run_id for run_id in last.holders if run_id in rows and not rows[run_id].final]
    if waiting and not holding:
        yield f"stranded: {waiting} wait for a key that nobody holds"
