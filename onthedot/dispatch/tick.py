"""One pass of the dispatcher: its name among claims, its deadline, and what it has done."""

from __future__ import annotations

from dataclasses import dataclass, field

from onthedot.records.timings import CLAIM_SEC, DISPATCH_LIMIT_SEC
from onthedot.store import aws, clock, ids
from onthedot.store.aws import Watch


@dataclass(slots=True)
class Tick:
    """One pass: its name among claims, its deadline, and what it has done so far."""

    dispatch_id: str
    started_ms: int
    deadline: float
    # An API call acts for itself and takes over what others have claimed.
    force: bool = False
    watch: Watch = field(default_factory=aws.watching)
    hopeless: bool = False
    # What could not be caught up on while the backlog's circuit is open is missed for that.
    lost_for: str = "outside_grace"
    counts: dict[str, int] = field(default_factory=dict)
    # How many lists it has written for the audit.
    lists: int = 0

    @property
    def over(self) -> bool:
        """Past its deadline a dispatcher stops where it stands: the next tick plans afresh."""
        return self.hopeless or clock.monotonic() > self.deadline

    def correct_clock(self) -> None:
        """Go by the store's clock; a machine that is too far from it claims nothing."""
        before = clock.now_ms()
        skew = self.watch.skew
        self.hopeless = skew.hopeless
        clock.correct(skew.offset_ms)
        self.started_ms += clock.now_ms() - before
        self.report(clock_offset_ms=abs(skew.offset_ms), clock_unsure_ms=skew.half_width_ms)

    def report(self, **figures: int) -> None:
        """Put figures of the whole pass beside what is counted."""
        self.counts |= figures

    @property
    def claim_until(self) -> int:
        """When another may take its claims over."""
        return self.started_ms + CLAIM_SEC * 1000

    def count(self, name: str, number: int) -> None:
        """Add to what is reported."""
        self.counts[name] = self.counts.get(name, 0) + number


def new_tick(*, force: bool = False) -> Tick:
    """Begin a pass."""
    return Tick(ids.token(), clock.now_ms(), clock.monotonic() + DISPATCH_LIMIT_SEC, force)
