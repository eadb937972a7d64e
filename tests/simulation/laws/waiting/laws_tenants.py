"""Laws of what bounds a tenant: how many of its runs are under way at once, what they call."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.machine.journal import SKEW_MS, Change, Journal, Seen
from tests.simulation.profiles.running.kinds import FOREIGN
from tests.simulation.stage import Stage

_UNDER_WAY = frozenset({"running", "awaiting"})
# What a worker has read of the limit when it starts a run is no older: a hold, and slow calls.
_KNOWN_MS = 30_000


def bounded(stage: Stage, journal: Journal) -> Iterator[str]:
    """How many of a tenant's runs are under way, and what they call."""
    yield from within_quota(journal)
    yield from within_reach(stage)


def within_quota(journal: Journal) -> Iterator[str]:
    """Checks that a lease lives until every clock says that it is over; a limit, until every
    worker knows.
    """
    under_way: dict[str, Seen] = {}
    for change in journal.changes:
        after = change.after
        if after is None or after.status not in _UNDER_WAY:
            under_way.pop(change.run_id, None)
            continue
        under_way[change.run_id] = after
        # A start that stalled until its own lease was over calls no target, and counts for none.
        if change.started and _living(after, change):
            yield from _started(journal, change, under_way)


def within_reach(stage: Stage) -> Iterator[str]:
    """Checks that what a tenant may not call is never called, and none of its runs has any other
    end.
    """
    foreign = {task.task_id for task in stage.tasks if task.target == FOREIGN}
    for delivery in stage.deliveries:
        if delivery.run_id.partition(".")[0] in foreign:
            yield f"beyond its reach: {delivery.run_id} called a foreign target"
    for run in stage.rows().values():
        if run.task_id in foreign and run.life.status in ("succeeded", "retrying", "awaiting"):
            yield f"beyond its reach: {run.run_id} is {run.life.status}"


def _started(journal: Journal, change: Change, under_way: dict[str, Seen]) -> Iterator[str]:
    """Checks that what started when there was no limit holds no permit, and does not count."""
    tenant_id = _tenant(journal, change.task_id)
    limits = _in_force(journal, change.at_ms, tenant_id)
    if not all(limits):
        return
    holding = [
        run_id
        for run_id, seen in under_way.items()
        if _living(seen, change)
        and ("permit" in seen.life or run_id == change.run_id)
        and _tenant(journal, run_id.partition(".")[0]) == tenant_id
    ]
    if change.after and "permit" not in change.after.life:
        yield f"without a permit: {change.run_id} started, {max(limits)} may run"
    if len(holding) > max(limits):
        yield f"beyond the quota: {change.run_id} started beside {holding}, {max(limits)} may run"


def _living(seen: Seen, change: Change) -> bool:
    return seen.lease_ms + SKEW_MS >= change.at_ms


def _tenant(journal: Journal, task_id: str) -> str:
    return journal.versions[task_id][0].task.tenant_id


def _in_force(journal: Journal, at_ms: float, tenant_id: str) -> list[int]:
    """Returns every limit that a start may go by; zero is none."""
    limits = [one for one in journal.limits if one.tenant_id == tenant_id]
    before = [one.most for one in limits if one.at_ms <= at_ms - _KNOWN_MS]
    lately = [one.most for one in limits if at_ms - _KNOWN_MS < one.at_ms <= at_ms]
    return [before[-1] if before else 0, *lately]
