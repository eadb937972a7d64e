"""Counts what the rows of a minute say: outcomes, lateness, durations, retries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from onthedot.records.runs.run_row import Run
from onthedot.upkeep.minute_tally import Tally

LONGEST_MAX = 10
# Milliseconds from which a start is late, or was picked up slowly.
LATE_MS, SLOW_MS = 30_000, 10_000
_MINUTE_SEC, _MINUTE_MS = 60, 60_000
_PERCENTILES = (50, 95, 99)


@dataclass(slots=True)
class Ledger:
    """Filled run by run as the audit finds them final. Read once a minute."""

    counts: dict[str, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    # The same outcomes by the minute in which their runs were due.
    due: dict[int, Tally] = field(default_factory=dict)
    # Milliseconds from the due time to the start, and the part of the queue and the worker.
    lags_ms: list[int] = field(default_factory=list)
    pickups_ms: list[int] = field(default_factory=list)
    durations_ms: list[int] = field(default_factory=list)
    # The runs that took longest, the longest first.
    longest: list[Run] = field(default_factory=list)

    def count(self, name: str, number: int = 1) -> None:
        """Adds to a count."""
        self.counts[name] = self.counts.get(name, 0) + number

    def note(self, run: Run) -> None:
        """Counts a final run."""
        life = run.life
        self.count(life.status.value)
        self.tally.count(run.tenant_id, life.status.value)
        minute = life.due_first_ms // _MINUTE_MS * _MINUTE_SEC
        self.due.setdefault(minute, Tally()).count(run.tenant_id, life.status.value)
        attempt = life.attempt
        if attempt is None:
            return
        # A retried run has several due times, and its first lateness is not in the row. A run that
        # waited because its user wanted it is not late.
        if not attempt.first_started_ms and not life.waited:
            self._note_start(
                lag_ms=life.lag_ms or 0,
                pickup_ms=attempt.started_ms - max(life.due_ms, life.claimed_ms),
            )
        self.durations_ms.append(duration_ms(run))
        self.longest = sorted([*self.longest, run], key=duration_ms, reverse=True)[:LONGEST_MAX]
        outcomes = [each["outcome"] for each in life.attempts]
        self.count("retries", len(outcomes))
        self.count("leases_lost", outcomes.count("lost"))
        # A worker that settles too late has called its target, and so has the run's next worker.
        self.count("doubled", len(run.stale))
        self.tally.count(run.tenant_id, "attempts", life.starts)
        self.tally.count(run.tenant_id, "leases_lost", outcomes.count("lost"))

    def _note_start(self, *, lag_ms: int, pickup_ms: int) -> None:
        """Counts a start that its user did not let wait."""
        self.lags_ms.append(lag_ms)
        self.pickups_ms.append(pickup_ms)
        if lag_ms > LATE_MS:
            self.count("late")
        if pickup_ms > SLOW_MS:
            self.count("slow_pickup")

    def figures(self) -> dict[str, int]:
        """Returns everything as named numbers. A percentile of nothing is left out."""
        figures = dict(self.counts)
        for name, values in (
            ("lag", self.lags_ms),
            ("pickup", self.pickups_ms),
            ("duration", self.durations_ms),
        ):
            if values:
                ordered = sorted(values)
                for percent in _PERCENTILES:
                    figures[f"{name}_p{percent}_ms"] = percentile(ordered, percent)
                figures[f"{name}_max_ms"] = ordered[-1]
        return figures


def duration_ms(run: Run) -> int:
    """Returns how long the last attempt took."""
    return run.life.its_end.ended_ms - run.life.its_attempt.started_ms


def percentile(ordered: Sequence[int], percent: int) -> int:
    """Returns the value that `percent` of a hundred do not exceed."""
    return ordered[len(ordered) * percent // 100]
