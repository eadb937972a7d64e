"""Compares slots with runs: what must have fired by the engine, and what the rows say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from onthedot.store import table_reads


@dataclass(frozen=True, slots=True)
class Accounts:
    """Every slot of some tasks, and every run of them."""

    slots: frozenset[tuple[str, str]]
    runs: tuple[Run, ...]

    @property
    def missing(self) -> set[tuple[str, str]]:
        """Returns slots without a run that succeeded."""
        done = {(each.task_id, each.key) for each in self.runs if each.life.status == "succeeded"}
        return set(self.slots) - done

    @property
    def stray(self) -> set[tuple[str, str]]:
        """Returns runs without a slot."""
        return {(each.task_id, each.key) for each in self.runs} - self.slots

    @property
    def again(self) -> list[Run]:
        """Returns runs that were started more than once."""
        return [each for each in self.runs if each.life.starts > 1 or each.life.attempts]

    @property
    def outcomes(self) -> Counter[str]:
        """Returns how many runs have each status."""
        return Counter(each.life.status for each in self.runs)

    @property
    def settled(self) -> bool:
        """Tells whether each slot has a run, and each run its outcome."""
        return len(self.runs) >= len(self.slots) and all(each.final for each in self.runs)

    @property
    def late_ms(self) -> list[int]:
        """Returns how late each run started first, sorted."""
        return sorted(late_ms(each) for each in self.runs if each.life.attempt)


def late_ms(of: Run) -> int:
    """Returns how long after its due time a run started first."""
    return of.life.its_attempt.run_started_ms - of.life.due_ms


def read(tasks: Sequence[Task]) -> Accounts:
    """Reads the present state. The store's clients go where the environment says."""
    slots = frozenset((each.task_id, nominal(slot)) for each in tasks for slot in _slots(each))
    return Accounts(slots, tuple(run for each in tasks for run in runs_of(each.task_id)))


def _slots(of: Task) -> Iterator[int]:
    slot = of.schedule.next(of.effective_from)
    while slot is not None:
        yield slot
        slot = of.schedule.next(slot)


def runs_of(task_id: str) -> Iterator[Run]:
    """Returns every row of a task."""
    for item in table_reads.rows(("task_id", task_id), "scheduled_for", ("0", "~")):
        if "life" in item:
            yield run_row.parse(item)
