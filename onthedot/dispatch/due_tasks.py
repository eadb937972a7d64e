"""Collects the tasks that a dispatcher finds due. Memory is bounded, counts are exact.

The backlog says how many overdue tasks a tick may take on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from onthedot.records.keys import item_key
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import nominal

KEY = item_key("backlog", "-")
BUDGET_MIN = 500
_MEAN_TICKS = 60
_TREND = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """The mean of on-time fires, the overdue counts of the last ticks, and the circuit."""

    mean: float = 0.0
    overdue: tuple[int, ...] = ()
    open: bool = False
    # When the last tick looked. 0 in an item of an older release.
    at_ms: int = 0

    @property
    def budget(self) -> int:
        """Returns twice the usual number, at least 500; a tenth of it while the circuit is open."""
        full = max(BUDGET_MIN, int(2 * self.mean))
        return full // 10 if self.open else full

    def after_tick(self, *, on_time: int, overdue: int, at_ms: int) -> Backlog:
        """Opens the circuit after five ticks of growth at full budget; closes it on a decrease."""
        counts = (*self.overdue, overdue)[-(_TREND + 1) :]
        steps = list(pairwise(counts))
        grew = len(steps) == _TREND and all(before < later for before, later in steps)
        shrank = len(steps) == _TREND and all(before > later for before, later in steps)
        return Backlog(
            mean=self.mean + (on_time - self.mean) / _MEAN_TICKS,
            overdue=counts,
            open=(self.open or (grew and overdue > self.budget)) and not shrank and overdue > 0,
            at_ms=at_ms,
        )

    def item(self) -> dict[str, Any]:
        return KEY | {
            "mean": round(self.mean, 3),
            "overdue": list(self.overdue),
            "open": self.open,
            "at_ms": self.at_ms,
        }


def parse(item: Mapping[str, Any] | None) -> Backlog:
    """Reads the item. Before the first tick there is none."""
    if item is None:
        return Backlog()
    return Backlog(
        mean=item["mean"],
        overdue=tuple(item["overdue"]),
        open=item["open"],
        at_ms=item.get("at_ms", 0),
    )


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
