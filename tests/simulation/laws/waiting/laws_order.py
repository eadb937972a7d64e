"""Laws of order: who waits is called in its turn, and nobody overtakes.

Judged by the queues' stories and by what targets saw.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from onthedot.records.timings import CATCH_UPS_MAX
from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.timing.true_bounds import Limit, guarded, limit_of, places, waits
from tests.simulation.laws.waiting.run_standings import FOR_EVER, Standing
from tests.simulation.machine.journal import Journal
from tests.simulation.machine.journal import Limit as Quota
from tests.simulation.stage import Stage

_AT_ONCE_MS = 3_000
_DECIDED_MS = 12_000
_TURNED_AWAY = ("overlap", "queue_full")
# What a worker has read of a tenant's limit when it takes a permit is no older.
_KNOWN_MS = 30_000


def kept(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """Gates, keys, the quota's line, backfills, catch-ups."""
    by_task = _by_task(journal, runs)
    if not journal.limits:
        for of_task in by_task.values():
            if waits(of_task[0].task) and of_task[0].task.overlap != "cancel_previous":
                yield from _by_due_time(of_task)
                if untroubled(stage):
                    yield from _in_order(of_task)
        for of_key in _by_key(runs):
            yield from _by_due_time(of_key)
    yield from _within_quotas(journal, runs)
    for of_task in by_task.values():
        if guarded(of_task[0].task):
            for of_loop in _by_loop(stage, of_task):
                yield from _in_turn(of_loop)
        if of_task[0].task.misfire == "all":
            yield from _few_at_once(_late(of_task))
            yield from _behind(stage, journal, of_task)


def _by_task(journal: Journal, runs: Iterable[Standing]) -> dict[str, list[Standing]]:
    found: dict[str, list[Standing]] = defaultdict(list)
    for run in runs:
        if _one_gate(journal, run.task.task_id):
            found[run.task.task_id].append(run)
    return found


def _one_gate(journal: Journal, task_id: str) -> bool:
    """Tells whether no edit has given the task another gate, or has handed its runs over."""
    ruled = [one.task for one in journal.versions[task_id]]
    gates = {(one.overlap, one.max_concurrent, one.queue_max, is_fetched(one)) for one in ruled}
    return len(gates) == 1


def _by_due_time(runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that of those that stand there, the one that is due first is called.

    Where runs overlap, late ones go beside regular ones, and keep none of them waiting.
    """
    free = runs[0].task.overlap == "allow"
    late, perhaps = (_late(runs), _perhaps_late(runs)) if free else ([], [])
    for called in runs:
        # One that was turned away held no place.
        freed = [run.over_ms for run in runs if run.calls and run.over_ms < called.called_ms]
        since_ms = max(freed, default=called.due_ms)
        for other in runs:
            first = _is_before(other, called) and (other not in perhaps or called in late)
            if first and other.stood(since_ms, called.called_ms):
                yield f"out of order: {called.run_id} was called before {other.run_id}"


def _in_order(runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that where nothing is lost, all that its task calls one at a time goes by its due
    time.
    """
    if places(runs[0].task) > 1:
        return
    called = [run for run in runs if run.calls and run not in _late(runs)]
    for soon, late in pairwise(called):
        if late.called_ms < soon.called_ms and _is_before(soon, late):
            yield f"out of order: {late.run_id} was called before {soon.run_id}, which was due"


def _is_before(soon: Standing, late: Standing) -> bool:
    """Tells whether it is due before; a trigger is due a moment before its row is there."""
    return soon.due_ms < late.due_ms - 1000 * max(soon.asked_sec, late.asked_sec)


def _by_key(runs: Iterable[Standing]) -> Iterator[list[Standing]]:
    """Yields those that share a key's places, and wait for nothing else."""
    found: dict[Limit, list[Standing]] = defaultdict(list)
    for run in runs:
        limit = limit_of(run.task)
        if limit is not None and limit.most and not guarded(run.task):
            found[limit].append(run)
    yield from found.values()


def _within_quotas(journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    for tenant_id in dict.fromkeys(one.tenant_id for one in journal.limits):
        limits = [one for one in journal.limits if one.tenant_id == tenant_id]
        yield from _within_quota(limits, [one for one in runs if one.task.tenant_id == tenant_id])


def _within_quota(limits: Sequence[Quota], runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that a free permit is for those in the line, who has been due longest first."""
    slots = [run for run in runs if run.slot]
    for late in slots:
        if not late.calls:
            continue
        at_ms = late.called_ms
        ahead = [
            run
            for run in slots
            if run.free and run.due_ms < late.due_ms and run.stood(late.received_ms, at_ms)
        ]
        most = _most(limits, at_ms)
        if ahead and most and most - _under_way(runs, late, at_ms) <= len(ahead):
            names = [run.run_id for run in ahead]
            yield f"overtaken: {names} stood in the tenant's line, and {late.run_id} was called"


def _under_way(runs: Iterable[Standing], late: Standing, at_ms: float) -> int:
    """Returns how many others have their targets called: each holds a permit, and perhaps more
    do.
    """
    return sum(
        any(call.at_ms <= at_ms < (call.ended_ms or call.at_ms) for call in run.calls)
        for run in runs
        if run is not late
    )


def _most(limits: Sequence[Quota], at_ms: float) -> int:
    """Returns the highest limit that a worker may have known; zero where there may have been
    none.
    """
    before = [one.most for one in limits if one.at_ms <= at_ms - _KNOWN_MS]
    lately = [one.most for one in limits if at_ms - _KNOWN_MS < one.at_ms <= at_ms]
    known = [*before[-1:], *lately]
    return max(known) if known and all(known) else 0


def _by_loop(stage: Stage, runs: Iterable[Standing]) -> Iterator[list[Standing]]:
    """Yields the runs of each backfill and of each resume."""
    rows = stage.rows()
    found: dict[object, list[Standing]] = defaultdict(list)
    for run in runs:
        if "~b" in run.run_id:
            found[rows[run.run_id].backfill_id or run.due_ms].append(run)
    yield from found.values()


def _in_turn(runs: Sequence[Standing]) -> Iterator[str]:
    """One at a time, in the order of their slots."""
    by_slot = sorted((run for run in runs if run.calls), key=lambda run: run.run_id)
    for soon, late in pairwise(by_slot):
        if late.called_ms < soon.over_ms:
            yield f"out of turn: {late.run_id} was called, and {soon.run_id} was not over"


def _few_at_once(runs: Sequence[Standing]) -> Iterator[str]:
    """One at a time, or as many as may overlap; of those, the oldest first."""
    called = sorted((run for run in runs if run.calls), key=lambda run: run.due_ms)
    if not called or called[0].task.overlap != "allow":
        yield from _in_turn(called)
        return
    most = called[0].task.max_concurrent or CATCH_UPS_MAX
    for run in called:
        beside = [one for one in called if one.called_ms <= run.called_ms < one.over_ms]
        if len(beside) > most:
            yield f"too many at once: {run.run_id} was called beside {len(beside) - 1} others"


def _late(runs: Iterable[Standing]) -> list[Standing]:
    """Returns slots that no worker had in its hands 90 s after they were due."""
    return [run for run in runs if run.slot and run.received_ms > run.due_ms + 90_000]


def _perhaps_late(runs: Iterable[Standing]) -> list[Standing]:
    """Returns slots that may have been found late: nobody had taken them up 90 s after they were
    due.
    """
    return [
        run for run in runs if run.slot and min(run.called_ms, run.joined_ms) > run.due_ms + 90_000
    ]


def _left_behind(late: Standing, run: Standing, claimed: Mapping[str, float]) -> bool:
    """Tells whether it was late and claimed, in nobody's hands, when one came that was not
    prompt.
    """
    prompt = run.received_ms < run.due_ms + _DECIDED_MS
    # Who stood in a line went by that: its first one may not have been the oldest that is late.
    stood = run.joined_ms < FOR_EVER
    return (
        not (prompt or stood) and max(claimed[late.run_id], late.due_ms + 90_000) < run.received_ms
    )


def _behind(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that where they would be turned away, regular slots stand behind the late ones that
    came first.
    """
    if runs[0].task.overlap not in ("skip", "queue"):
        return
    rows = stage.rows()
    claimed = {one.run_id: one.at_ms for one in reversed(journal.changes)}
    for late in _late(runs):
        for run in runs:
            # Two workers may have both in their hands at once.
            first = late.received_ms < run.received_ms - _AT_ONCE_MS
            if not run.slot or run.due_ms <= late.due_ms:
                continue
            if not first and run.task.overlap == "queue":
                # It stood at the gate before; both have waited for the same end.
                freed = [one.over_ms for one in runs if one.over_ms < run.called_ms]
                first = late.received_ms < max(freed, default=0.0) - _AT_ONCE_MS
            if not (first or _left_behind(late, run, claimed)):
                continue
            if run.called_ms < late.called_ms < FOR_EVER:
                yield f"out of turn: {run.run_id} was called before {late.run_id}"
            reason = rows[run.run_id].life.reason if run.run_id in rows else ""
            if late.received_ms < run.over_ms < late.over_ms and reason in _TURNED_AWAY:
                yield f"turned away: {run.run_id} ended {reason} behind {late.run_id}"
