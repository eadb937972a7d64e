"""Laws of the living: what is at work is not written off, and what is to end does end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.keys import is_slot_key
from onthedot.records.timings import MARGIN_SEC
from tests.simulation.laws.requests.laws_api import STAMPED_FROM
from tests.simulation.laws.running.laws_outcomes import TODAY, Policy
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.laws.waiting.laws_places import began
from tests.simulation.machine.journal import SKEW_MS, Change, Journal, Seen
from tests.simulation.stage import Stage

_UNDER_WAY = frozenset({"running", "awaiting"})
# Dispatchers count whole seconds.
_SECOND = 1.5
_OURS = frozenset({"work", "bury"})
_TO_COME = frozenset({"claimed", "retrying"})


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    yield from _given_up(journal)
    yield from _ended(stage, journal)
    yield from _too_old(stage, journal)
    yield from _set_aside(stage)
    if len(journal.limits) == 1:
        yield from _revived(journal)


def _given_up(journal: Journal) -> Iterator[str]:
    """Checks that of our workers nobody but its own ends a run whose lease lives."""
    started: dict[str, str] = {}
    for change in journal.changes:
        before, after = change.before, change.after
        if before is None or after is None or change.writer is None:
            continue
        writer = change.writer.name.partition("/")[0]
        if change.started:
            started[change.run_id] = writer
        elif before.status == "running" and _is_unasked(change, after):
            left_ms = before.lease_ms - change.at_ms
            if left_ms > 0 and started.get(change.run_id) != writer:
                said = f"{after.status}({after.reason})"
                sec = left_ms / 1000
                yield f"written off: {change.run_id} is {said}, and had a lease of {sec:.1f} s more"


def _is_unasked(change: Change, after: Seen) -> bool:
    """Tells whether one of our processes says so, and not the target."""
    ours = change.writer is not None and change.writer.kind in _OURS
    return ours and (after.status == "cancelled" or after.reason == "undeliverable")


def _too_old(stage: Stage, journal: Journal, policy: Policy = TODAY) -> Iterator[str]:
    """Checks that nobody claims, or coalesces, a slot whose grace was over before he looked: it
    is missed.
    """
    first_ms, off = began(stage), clocks_off_sec(stage)
    for change in journal.changes:
        after = change.after
        if change.before is not None or after is None or change.writer is None:
            continue
        fires = is_slot_key(change.key) and after.status == "claimed"
        if not fires and after.reason != "coalesced":
            continue
        looked = first_ms[change.writer.name.partition("/")[0]] / 1000
        tasks = [one.task for one in journal.versions[change.task_id]]
        grace_sec = max(policy.missed_after_sec(task) for task in tasks)
        over_sec = looked - after.due_ms / 1000 - grace_sec - off
        if over_sec > _SECOND:
            told = after.reason or after.status
            yield f"too old: {change.run_id} was {told} {over_sec:.1f} s after its grace"


def _set_aside(stage: Stage) -> Iterator[str]:
    """Checks that what cannot be planned is out of the index at the end, and says why."""
    parts = stage.world.store.table("tasks").rows.items
    for task in stage.tasks:
        if task.name != "poisoned":
            continue
        said = parts[task.task_id, "spec"]["status"]["S"]
        if said != "invalid" or "due_shard" in parts[task.task_id, "cursor"]:
            yield f"not set aside: {task.name} is {said}"


def _ended(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that once a delete is answered, nothing of the task is still to come."""
    of_run: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in journal.changes:
        of_run[change.task_id, change.key].append(change)
    for act in stage.acts:
        if act.name != "delete" or not act.acked_ms:
            continue
        versions = journal.versions[act.task_id]
        gone_ms = next((one.at_ms for one in versions if one.task.status == "deleted"), None)
        for (task_id, key), changes in of_run.items():
            if gone_ms is None or task_id != act.task_id or key < STAMPED_FROM:
                continue
            until = [one for one in changes if one.at_ms <= act.acked_ms]
            last = until[-1] if until else None
            if last and last.at_ms < gone_ms and last.after and last.after.status in _TO_COME:
                yield f"left over: {last.run_id} is {last.after.status}, its task was deleted"


def _revived(journal: Journal) -> Iterator[str]:
    """Checks that who lets its lease run out until its permit may be another's goes on with a
    permit only.
    """
    most, under_way = journal.limits[0].most, dict[str, Seen]()
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None or after.status not in _UNDER_WAY:
            under_way.pop(change.run_id, None)
            continue
        under_way[change.run_id] = after
        if before is None or before.status not in _UNDER_WAY or change.started or not most:
            continue
        if change.at_ms <= before.lease_ms + MARGIN_SEC * 1000 + SKEW_MS:
            continue
        living = [name for name, seen in under_way.items() if seen.lease_ms >= change.at_ms]
        if len(living) > most:
            yield f"beyond the quota: {change.run_id} goes on beside {living}, {most} may run"
