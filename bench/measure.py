"""How a bench measures and reports: CPU time, the best of five, a limit and whether it holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

TIMES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the report; a row without a limit is there to be known."""

    what: str
    measured: str
    limit: str = ""
    holds: bool = True

    @property
    def verdict(self) -> str:
        """Say how the row stands to its limit."""
        return "" if not self.limit else "holds" if self.holds else "MISSED"


def at_most(what: str, value: float, limit: float, unit: str) -> Line:
    """Report a value that must not be larger."""
    measured, allowed = f"{value:,.2f} {unit}", f"≤ {limit:,g} {unit}"
    return Line(what=what, measured=measured, limit=allowed, holds=value <= limit)


def at_least(what: str, value: float, limit: float, unit: str) -> Line:
    """Report a value that must not be smaller."""
    measured, wanted = f"{value:,.1f} {unit}", f"≥ {limit:,g} {unit}"
    return Line(what=what, measured=measured, limit=wanted, holds=value >= limit)


def told(what: str, value: float, unit: str) -> Line:
    """Report a value that has no limit."""
    return Line(what=what, measured=f"{value:,.2f} {unit}")


def cpu_sec(work: Callable[[], object]) -> float:
    """Measure once."""
    started = time.process_time()
    work()
    return time.process_time() - started


def best_sec(
    work: Callable[[], object], times: int = TIMES, before: Callable[[], object] | None = None
) -> float:
    """Measure several times, each after `before`, and give the best."""
    taken = []
    for _ in range(times):
        if before:
            before()
        taken.append(cpu_sec(work))
    return min(taken)


def show(lines: Iterable[Line]) -> bool:
    """Print each row as it comes, and tell whether all limits hold."""
    all_hold = True
    for line in lines:
        print(f"  {line.what:76} {line.measured:>18}  {line.limit:>17}  {line.verdict}", flush=True)
        all_hold &= line.holds
    return all_hold
