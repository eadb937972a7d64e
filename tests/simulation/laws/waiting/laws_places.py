"""Laws of places: in which queue and in which line a run may be found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from onthedot.records.keys import run_id
from onthedot.records.tasks.task_spec import QUEUES
from tests.simulation.laws.timing.reigns import act_of
from tests.simulation.laws.timing.true_bounds import guarded
from tests.simulation.machine.journal import RUN_NAMED, SENDS, Change, Journal
from tests.simulation.stage import Stage

_REROUTING = frozenset({"urgent", "unhurried"})


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    yield from _apart(stage, journal)
    yield from _one_place(stage, journal)
    if any(act.name in _REROUTING for act in stage.acts):
        yield from _routed(stage, journal)


def _apart(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that runs of two tenants never hold, or wait for, the places of one gate."""
    tenants = {task.task_id: task.tenant_id for task in stage.tasks}
    if len(set(tenants.values())) < 2:
        return
    for place, gates in journal.gates.items():
        for held in gates:
            named = {name.partition(".")[0] for name in (*held.holders, *held.waiting)}
            if len({tenants[task_id] for task_id in named if task_id in tenants}) > 1:
                yield f"mixed: {sorted(named)} are two tenants' at {place[:20]}"
                break


def _one_place(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that nobody starts who stands in a line: it would keep those behind it waiting."""
    steps: list[tuple[float, str, frozenset[str]]] = []
    for place, gates in journal.gates.items():
        steps += [(held.at_ms, place, frozenset(_names(place, held.waiting))) for held in gates]
    steps.sort(key=lambda step: step[0])
    waiting: dict[str, frozenset[str]] = {}
    # When each run joined a line for the last time.
    joined: dict[str, float] = {}
    at = 0
    for change in journal.changes:
        while at < len(steps) and steps[at][0] <= change.at_ms:
            at_ms, place, line = steps[at]
            joined |= dict.fromkeys(line - waiting.get(place, frozenset()), at_ms)
            waiting[place] = line
            at += 1
        lines = {place for place, line in waiting.items() if change.run_id in line}
        if change.task_id in lines and not _has_gate(journal, change):
            # An edit has let its runs overlap: no run waits behind it.
            lines.remove(change.task_id)
        rekeyed_ms = _rekeyed_ms(journal, change.task_id)
        if stage.world.profile.double_message and joined.get(change.run_id, 0.0) > rekeyed_ms:
            # A worker that still knows the old key may get the copy of a message.
            lines = {place for place in lines if not place.startswith("key#")}
        if change.started and lines:
            yield f"in line and running: {change.run_id}"


def _has_gate(journal: Journal, change: Change) -> bool:
    """Tells whether runs of the task waited for each other at that time."""
    versions = [one for one in journal.versions[change.task_id] if one.at_ms <= change.at_ms]
    return bool(versions) and guarded(versions[-1].task)


def _rekeyed_ms(journal: Journal, task_id: str) -> float:
    """Returns when an edit gave the task another concurrency key, if one did."""
    for before, after in pairwise(journal.versions[task_id]):
        if before.task.shown.get("concurrency_key") != after.task.shown.get("concurrency_key"):
            return after.at_ms
    return float("inf")


def _names(place: str, keys: tuple[str, ...]) -> Iterator[str]:
    """Checks that a task's own gate names its runs by their keys."""
    own = not place.startswith("key#")
    return (run_id(place, key) if own else key for key in keys)


def _routed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what is claimed under a priority whose edit was answered goes to that
    priority's queue.
    """
    first, queues = began(stage), _first_queue(stage)
    for change in journal.changes:
        if change.before is not None or change.writer is None or change.run_id not in queues:
            continue
        versions = journal.versions[change.task_id]
        began_ms = first.get(change.writer.name.partition("/")[0], 0.0)
        acked = [
            place
            for place, version in enumerate(versions)
            if place == 0 or ((act := act_of(stage, version)) and 0 < act.acked_ms < began_ms)
        ]
        allowed = {QUEUES[one.task.priority] for one in versions[max(acked) :]}
        if queues[change.run_id] not in allowed:
            went = queues[change.run_id]
            yield f"misrouted: {change.run_id} went to '{went}' instead of {sorted(allowed)}"


def began(stage: Stage) -> Mapping[str, float]:
    """Returns when each process took its first step."""
    start_ms = stage.world.start.timestamp() * 1000
    found: dict[str, float] = {}
    for entry in stage.world.trace:
        if entry[1] is not None:
            found.setdefault(entry[1].name.partition("/")[0], start_ms + entry[0] / 1000)
    return found


def _first_queue(stage: Stage) -> Mapping[str, str]:
    """Returns into which queue the first message went that names a run."""
    found: dict[str, str] = {}
    for entry in stage.world.trace:
        if entry[2] not in SENDS or not isinstance(entry[4], dict):
            continue
        queue = entry[3]["QueueUrl"].rpartition("/")[2]
        for one in entry[3].get("Entries", ()):
            for named in RUN_NAMED.findall(one["MessageBody"]):
                found.setdefault(named, queue)
    return found
