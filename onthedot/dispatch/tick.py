"""Describes one pass of the dispatcher: its id in claims, its deadline, and its counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from onthedot.records.timings import CLAIM_SEC, DISPATCH_LIMIT_SEC
from onthedot.store import aws, clock, ids
from onthedot.store.aws import Watch


@dataclass(slots=True)
class Tick:
    """One pass: its id in claims, its deadline, and what it has done so far."""

    dispatch_id: str
    started_ms: int
    deadline: float
    # An API call acts for itself and takes over what others have claimed.
    force: bool = False
    watch: Watch = field(default_factory=aws.watching)
    hopeless: bool = False
    # The reason for slots that were lost while the backlog's circuit was open.
    lost_for: str = "outside_grace"
    counts: dict[str, int] = field(default_factory=dict)
    # How many lists it has written for the audit.
    lists: int = 0

    @property
    def over(self) -> bool:
        """Tells whether the deadline has passed. Then it stops: the next tick plans again."""
        return self.hopeless or clock.monotonic() > self.deadline

    def correct_clock(self) -> None:
        """Uses the store's clock. A machine whose clock is too far from it claims nothing."""
        before = clock.now_ms()
        skew = self.watch.skew
        self.hopeless = skew.hopeless
        clock.correct(skew.offset_ms)
        self.started_ms += clock.now_ms() - before
        self.report(clock_offset_ms=abs(skew.offset_ms), clock_unsure_ms=skew.half_width_ms)

    def report(self, **figures: int) -> None:
        """Writes figures of the whole pass beside the counts."""
        self.counts |= figures

    @property
    def claim_until(self) -> int:
        """Returns when others may take its claims over."""
        return self.started_ms + CLAIM_SEC * 1000

    def count(self, name: str, number: int) -> None:
        """Adds to a count of the report."""
        self.counts[name] = self.counts.get(name, 0) + number


def new_tick(*, force: bool = False) -> Tick:
    return Tick(ids.token(), clock.now_ms(), clock.monotonic() + DISPATCH_LIMIT_SEC, force)
