"""Limits how much overdue work a tick takes on, so that tasks on time are never delayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

KEY = {"task_id": "backlog", "scheduled_for": "-"}
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
