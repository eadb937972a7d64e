"""Collects the tasks that a dispatcher finds due. Memory is bounded, counts are exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import nominal

Item = dict[str, Any]


def in_turn(overdue: Iterable[Item]) -> list[Item]:
    """Orders overdue tasks so that tenants take turns, each with its oldest task first.

    So the first n tasks are a fair share: what one tenant does not need goes to the others. A task
    that is not among the first n of a part is not among the first n of all.
    """
    taken: Counter[str] = Counter()
    turns: list[tuple[int, str, str, Item]] = []
    for item in sorted(overdue, key=lambda one: (one["next_run_at"], one["task_id"])):
        tenant_id = item["tenant_id"]
        turns.append((taken[tenant_id], item["next_run_at"], item["task_id"], item))
        taken[tenant_id] += 1
    turns.sort(key=lambda turn: turn[:3])
    return [item for *_, item in turns]


@dataclass(slots=True, kw_only=True)
class Herd:
    """Tasks on time, carried out as they come, and overdue tasks up to the budget."""

    budget: int
    # By task id: a cursor that moves between two reads appears on both pages.
    on_time: dict[str, Item] = field(default_factory=dict)
    late: dict[str, Item] = field(default_factory=dict)
    seen: int = 0
    behind: int = 0
    oldest: str = "~"

    def add(self, items: Sequence[Item], *, since: str) -> None:
        """Sorts the tasks of a page into on time and late."""
        for item in items:
            self.seen += 1
            due = item["next_run_at"]
            self.oldest = min(self.oldest, due)
            if due >= since:
                self.on_time[item["task_id"]] = item
                continue
            self.behind += 1
            self.late[item["task_id"]] = item
        if len(self.late) > 2 * self.budget:
            self.late = {item["task_id"]: item for item in self.overdue}

    def take_on_time(self) -> list[Item]:
        """Hands over the tasks on time, and forgets them."""
        taken = list(self.on_time.values())
        self.on_time.clear()
        return taken

    @property
    def overdue(self) -> list[Item]:
        """Returns the overdue tasks to catch up on, shared fairly among tenants."""
        return in_turn(self.late.values())[: self.budget]

    def not_fired(self, now_ms: int) -> int:
        """Returns how many tasks count as not fired: the overdue ones, if the oldest is late."""
        if self.oldest >= nominal(now_ms // 1000 - LATE_SEC):
            return 0
        return self.behind or 1
