"""Filters a list of runs: by status or a group of them, and by origin."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import FINAL, OPEN, Status

GROUPS = {"open": OPEN, "final": FINAL, "failed": frozenset({Status.RETRYING, Status.DEAD})}


@dataclass(frozen=True, slots=True)
class RunFilter:
    """What was asked for. None accepts any."""

    status: str | None = None
    origin: str | None = None

    @property
    def narrows(self) -> bool:
        """Tells whether some runs may not pass."""
        return self.status is not None or self.origin is not None

    def holds(self, run: Run) -> bool:
        """Tells whether a run passes."""
        wanted = GROUPS.get(self.status or "", frozenset({self.status}))
        by_status = self.status is None or run.life.status in wanted
        return by_status and self.origin in (None, run.origin)
