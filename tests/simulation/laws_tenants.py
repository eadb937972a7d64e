"""Law of a tenant's quota: no run starts while as many others as may hold leases that live."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.journal import SKEW_MS, Journal, Seen

_UNDER_WAY = frozenset({"running", "awaiting"})


def within_quota(journal: Journal, most: int) -> Iterator[str]:
    """A lease lives until every clock says that it is over; zero is no quota.

    All tasks of a history are one tenant's.
    """
    under_way: dict[str, Seen] = {}
    for change in journal.changes:
        after = change.after
        if after is None or after.status not in _UNDER_WAY:
            under_way.pop(change.run_id, None)
            continue
        under_way[change.run_id] = after
        living = [
            run_id for run_id, seen in under_way.items() if seen.lease_ms + SKEW_MS >= change.at_ms
        ]
        # A start that stalled until its own lease was over calls no target, and counts for none.
        if most and change.started and change.run_id in living and len(living) > most:
            yield f"beyond the quota: {change.run_id} started beside {living}, {most} may run"
