"""What the rows of a minute tell of the service: outcomes, lateness, durations, retries."""

from __future__ import annotations

from dataclasses import dataclass, field

from onthedot.core.run import Run


@dataclass(slots=True)
class Ledger:
    """Filled run by run as the audit finds them final; read once a minute."""

    counts: dict[str, int] = field(default_factory=dict)
    lags_ms: list[int] = field(default_factory=list)
    durations_ms: list[int] = field(default_factory=list)

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count."""
        self.counts[name] = self.counts.get(name, 0) + number

    def note(self, run: Run) -> None:
        """Book a final run."""
        life = run.life
        self.count(life.status)
        if not life.attempt:
            return
        # A retried run is due again and again: its first lateness is not in the row any more.
        if not life.first_started_ms:
            self.lags_ms.append(life.started_ms - life.due_ms)
        self.durations_ms.append(life.ended_ms - life.started_ms)
        outcomes = [attempt["outcome"] for attempt in life.attempts]
        self.count("retries", len(outcomes))
        self.count("leases_lost", outcomes.count("lost"))
        self.count("stale", outcomes.count("stale"))

    def figures(self) -> dict[str, int]:
        """Give all of it as named numbers; a percentile of nothing is left out."""
        figures = dict(self.counts)
        for name, values in (("lag", self.lags_ms), ("duration", self.durations_ms)):
            if values:
                ordered = sorted(values)
                figures[f"{name}_p50_ms"] = ordered[len(ordered) // 2]
                figures[f"{name}_p99_ms"] = ordered[len(ordered) * 99 // 100]
                figures[f"{name}_max_ms"] = ordered[-1]
        return figures
