"""Measures and reports: CPU time, the best of five, a limit and whether it holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

TIMES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the report. A row without a limit is only for information."""

    what: str
    measured: str
    limit: str = ""
    holds: bool = True

    @property
    def verdict(self) -> str:
        """Says whether the row keeps its limit."""
        return "" if not self.limit else "holds" if self.holds else "MISSED"


def at_most(what: str, value: float, limit: float, unit: str) -> Line:
    """Reports a value that must not be larger."""
    measured, allowed = f"{value:,.2f} {unit}", f"≤ {limit:,g} {unit}"
    return Line(what=what, measured=measured, limit=allowed, holds=value <= limit)


def at_least(what: str, value: float, limit: float, unit: str) -> Line:
    """Reports a value that must not be smaller."""
    measured, wanted = f"{value:,.1f} {unit}", f"≥ {limit:,g} {unit}"
    return Line(what=what, measured=measured, limit=wanted, holds=value >= limit)


def told(what: str, value: float, unit: str) -> Line:
    """Reports a value that has no limit."""
    return Line(what=what, measured=f"{value:,.2f} {unit}")


def cpu_sec(work: Callable[[], object]) -> float:
    """Measures once."""
    started = time.process_time()
    work()
    return time.process_time() - started


def best_sec(
    work: Callable[[], object], times: int = TIMES, before: Callable[[], object] | None = None
) -> float:
    """Measures several times, each after `before`, and returns the best."""
    taken = []
    for _ in range(times):
        if before:
            before()
        taken.append(cpu_sec(work))
    return min(taken)


def show(lines: Iterable[Line]) -> bool:
    """Prints each row as it comes, and tells whether all limits hold."""
    all_hold = True
    for line in lines:
        print(f"  {line.what:76} {line.measured:>18}  {line.limit:>17}  {line.verdict}", flush=True)
        all_hold &= line.holds
    return all_hold
