"""Laws of order: who waits is called in its turn, and nobody overtakes.

Judged by the queues' stories and by what targets saw; the policy is a parameter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.simulation.journal import Journal
from tests.simulation.journal import Limit as Quota
from tests.simulation.laws_moved import is_fetched
from tests.simulation.stage import Stage
from tests.simulation.standing import Standing
from tests.simulation.true_bounds import Limit, guarded, limit_of, places, waits

# What a worker has read of a tenant's limit when it takes a permit is no older.
_KNOWN_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the documents promise."""

    # Runs at a task's gate go by their arrival; or those that stand there by their due time.
    by_due_time: bool = False
    # Late slots that run go one after another, oldest first, as backfills do.
    catch_ups_in_turn: bool = False


TODAY = Policy()
# After issue 12.
STRICT = Policy(by_due_time=True, catch_ups_in_turn=True)


def kept(
    stage: Stage, journal: Journal, runs: Sequence[Standing], policy: Policy = TODAY
) -> Iterator[str]:
    """Gates, keys, the quota's line, backfills, catch-ups."""
    by_task = _by_task(journal, runs)
    if not journal.limits:
        for of_task in by_task.values():
            if waits(of_task[0].task) and of_task[0].task.overlap != "cancel_previous":
                yield from _at_a_gate(of_task, policy)
        for most, of_key in _by_key(runs):
            yield from _arrived(of_key, "its key", most)
    yield from _within_quotas(journal, runs)
    for of_task in by_task.values():
        if guarded(of_task[0].task):
            for of_loop in _by_loop(stage, of_task, policy):
                yield from _in_turn(of_loop)
        if policy.catch_ups_in_turn and of_task[0].task.misfire == "all":
            yield from _in_turn(_late(of_task))


def _by_task(journal: Journal, runs: Iterable[Standing]) -> dict[str, list[Standing]]:
    found: dict[str, list[Standing]] = defaultdict(list)
    for run in runs:
        if _one_gate(journal, run.task.task_id):
            found[run.task.task_id].append(run)
    return found


def _one_gate(journal: Journal, task_id: str) -> bool:
    """Whether no edit has given the task another gate, or has handed its runs over."""
    ruled = [one.task for one in journal.versions[task_id]]
    gates = {(one.overlap, one.max_concurrent, one.queue_max, is_fetched(one)) for one in ruled}
    return len(gates) == 1


def _at_a_gate(runs: Sequence[Standing], policy: Policy) -> Iterator[str]:
    if policy.by_due_time:
        yield from _by_due_time(runs)
    else:
        yield from _arrived(runs, "its task's gate", places(runs[0].task))


def _arrived(runs: Sequence[Standing], where: str, most: int) -> Iterator[str]:
    """Who comes finds others in the line, and goes behind them.

    When one that outside workers fetch has come, no message tells.
    """
    for late in runs:
        if not late.calls or not late.receipts:
            continue
        for soon in runs:
            overtakes = soon.joined_ms < late.received_ms and late.called_ms < soon.got_ms
            if overtakes and (most == 1 or not _had(soon, late.called_ms)):
                yield f"overtaken: {soon.run_id} stood at {where}, and {late.run_id} was called"


def _had(run: Standing, until_ms: float) -> bool:
    """Whether a worker has had it in its hands since it joined the line, and may have lost it.

    It has a place then; with more than one, others pass.
    """
    return any(run.joined_ms < at <= until_ms for at in run.receipts)


def _by_due_time(runs: Sequence[Standing]) -> Iterator[str]:
    """Of those that stand there, the one that is due first is called."""
    for called in runs:
        freed = [run.over_ms for run in runs if run.over_ms < called.called_ms]
        since_ms = max(freed, default=called.due_ms)
        for other in runs:
            if other.due_ms < called.due_ms and other.stood(since_ms, called.called_ms):
                yield f"out of order: {called.run_id} was called before {other.run_id}"


def _by_key(runs: Iterable[Standing]) -> Iterator[tuple[int, list[Standing]]]:
    """Those that share a key's places, and wait for nothing else."""
    found: dict[Limit, list[Standing]] = defaultdict(list)
    for run in runs:
        limit = limit_of(run.task)
        if limit is not None and limit.most and not guarded(run.task):
            found[limit].append(run)
    for limit, of_key in found.items():
        yield limit.most, of_key


def _within_quotas(journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    for tenant_id in dict.fromkeys(one.tenant_id for one in journal.limits):
        limits = [one for one in journal.limits if one.tenant_id == tenant_id]
        yield from _within_quota(limits, [one for one in runs if one.task.tenant_id == tenant_id])


def _within_quota(limits: Sequence[Quota], runs: Sequence[Standing]) -> Iterator[str]:
    """A free permit is for those in the line, who has been due longest first."""
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
    """How many others have their targets called: each holds a permit, and perhaps more do."""
    return sum(
        any(call.at_ms <= at_ms < (call.ended_ms or call.at_ms) for call in run.calls)
        for run in runs
        if run is not late
    )


def _most(limits: Sequence[Quota], at_ms: float) -> int:
    """The highest limit that a worker may have known; zero where there may have been none."""
    before = [one.most for one in limits if one.at_ms <= at_ms - _KNOWN_MS]
    lately = [one.most for one in limits if at_ms - _KNOWN_MS < one.at_ms <= at_ms]
    known = [*before[-1:], *lately]
    return max(known) if known and all(known) else 0


def _by_loop(stage: Stage, runs: Iterable[Standing], policy: Policy) -> Iterator[list[Standing]]:
    """The runs of each backfill; those of each resume, too, if the policy wants them in turn."""
    rows = stage.rows()
    found: dict[object, list[Standing]] = defaultdict(list)
    for run in runs:
        if "~b" in run.run_id and (rows[run.run_id].backfill_id or policy.catch_ups_in_turn):
            found[rows[run.run_id].backfill_id or run.due_ms].append(run)
    yield from found.values()


def _in_turn(runs: Sequence[Standing]) -> Iterator[str]:
    """One at a time, in the order of their slots."""
    by_slot = sorted((run for run in runs if run.calls), key=lambda run: run.run_id)
    for soon, late in pairwise(by_slot):
        if late.called_ms < soon.over_ms:
            yield f"out of turn: {late.run_id} was called, and {soon.run_id} was not over"


def _late(runs: Iterable[Standing]) -> list[Standing]:
    """Slots that no worker had in its hands 90 s after they were due."""
    return [run for run in runs if run.slot and run.received_ms > run.due_ms + 90_000]
