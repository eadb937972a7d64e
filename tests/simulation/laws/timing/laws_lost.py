"""Laws of lost rows: a slot is recorded as missed once no process can still write its row.

Judged by what the stores held: the cursor has passed the slot, so no tick comes to it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onthedot.records.keys import is_slot_key, run_id
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.upkeep import laws_lists
from tests.simulation.machine.journal import SKEW_MS, Change, Journal, pairs
from tests.simulation.stage import Stage

# How long a claim may take; and by when a look finds a loss (looks are 8 minutes apart then).
_WAITS_MS, _FOUND_MS = 600_000, 18 * 60_000
_REASON = "unaccounted"


@dataclass(frozen=True, slots=True)
class _Lost:
    """The row of a run that is lost: when it was first written, and when it was lost."""

    task_id: str
    key: str
    born_ms: float
    at_ms: float

    @property
    def run_id(self) -> str:
        return run_id(self.task_id, self.key)


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all laws of lost rows."""
    lost, end_ms = _lost(stage), stage.world.epoch_us() / 1000
    told = [one for one in journal.changes if one.after and one.after.reason == _REASON]
    records = {one.run_id: one for one in told}
    listed = {each for each in _listed(stage) if each not in stage.rows()}
    for one in lost.values():
        task = next(task for task in stage.tasks if task.task_id == one.task_id)
        edited = [each for each in journal.versions[one.task_id] if each.at_ms > one.born_ms]
        record = records.pop(one.run_id, None)
        if record is not None:
            yield from _recorded(one, record, task)
            # An edit before the loss may list the slot again; one after the loss leaves it out.
            since = any(one.at_ms < each.at_ms < record.at_ms for each in edited)
            if since or not is_slot_key(one.key):
                yield f"recorded in vain: {one.run_id} may have been left out on purpose"
        elif end_ms > one.at_ms + _FOUND_MS:
            if is_slot_key(one.key) and not edited and one.run_id not in stage.rows():
                yield f"unaccounted for: {one.run_id} was lost, and nobody says so"
            if one.run_id in listed:
                yield f"listed for ever: {one.run_id} was lost long ago"
    for name in records:
        yield f"recorded in vain: {name} was never lost"
    said = sum(int(figures.get(_REASON, 0)) for _, figures in stage.figures)
    if said != len(told):
        yield f"miscounted: {said} {_REASON}, it was {len(told)}"


def others_ran(_stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a slot of which no row was lost is not missed: nothing else goes wrong there."""
    for change in journal.changes:
        after = change.after
        if after and after.status == "missed" and after.reason != _REASON:
            yield f"unfounded: {change.run_id} is missed({after.reason}), and its row was there"


def _recorded(lost: _Lost, record: Change, task: Task) -> Iterator[str]:
    """Checks that it is missed at its due time, and not recorded while its claim may be under
    way.
    """
    after = record.after
    due_ms = true_slots.due_at(task, parse_nominal(lost.key)) * 1000
    if after is None or after.status != "missed" or after.due_ms != due_ms:
        yield f"misrecorded: {lost.run_id} as {after and (after.status, after.due_ms)}"
    if record.at_ms < lost.born_ms + _WAITS_MS - SKEW_MS:
        yield f"recorded too soon: {lost.run_id}"


def _lost(stage: Stage) -> dict[tuple[str, str], _Lost]:
    born: dict[tuple[str, str], float] = {}
    found: dict[tuple[str, str], _Lost] = {}
    for at_us, key, before, after in pairs(stage.world, "runs"):
        if after is not None and "life" in after:
            born.setdefault(key, at_us / 1000)
        elif after is None and before is not None and "life" in before:
            found[key] = _Lost(key[0], key[1], born[key], at_us / 1000)
    return found


def _listed(stage: Stage) -> Iterator[str]:
    """Names the runs on the audit's lists at the end."""
    for item in laws_lists.items(stage, "check#"):
        yield from (entry[0] for entry, _ in laws_lists.entries(item))
