"""Describes one pass of the dispatcher: its deadline, its counts, and the claims that it makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from onthedot.records.runs import max_runs, run_row
from onthedot.records.runs.message_pack import Address, Ticket
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.misfire import ENDINGS
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.timings import CLAIM_SEC, DISPATCH_LIMIT_SEC
from onthedot.store import aws, clock, ids
from onthedot.store.aws import Watch


class Fate(Enum):
    """MINE: we send it. DONE: nothing to do. TAKE: it may be taken over. LEFT: it stays open."""

    MINE = "mine"
    DONE = "done"
    TAKE = "take"
    LEFT = "left"


@dataclass(slots=True, kw_only=True)
class Claim:
    """One slot of a plan. The store's answer decides its fate."""

    due: Due
    run: Run
    fate: Fate = Fate.LEFT
    # The row that existed already and needs nothing more.
    found: Run | None = None
    # An edit has counted it, because it was claimed by then.
    counted: bool = False

    @property
    def fires(self) -> bool:
        """Tells whether the slot is to run. Others are only recorded."""
        return self.run.life.status == Status.CLAIMED

    @property
    def is_given_up(self) -> bool:
        """Tells whether its misfire policy ends it without a run."""
        return (self.run.life.status, self.run.life.reason) in ENDINGS

    @property
    def counts(self) -> bool:
        """Tells whether `max_runs` counts the slot. A slot to be recorded may have run already."""
        if self.counted:
            return False
        if self.found:
            return max_runs.counts(self.found)
        return self.fires and not self.run.life.dropped

    @property
    def address(self) -> Address:
        """Returns what the runs of one message share."""
        run = self.run
        return run.queue, run.tenant_id, run.life.due_ms, self.due.pack_max

    @property
    def ticket(self) -> Ticket:
        """Returns the run's entry for a message."""
        return Ticket(self.run.run_id, 1, self.run.life.tv)


def fate_of(claim: Claim, seen: Run | None, dispatch_id: str, now_ms: int, *, force: bool) -> Fate:
    """Decides on a slot whose row could not be put, by the row that exists."""
    if seen is None:
        return Fate.LEFT
    theirs = seen.life.claim
    ours = theirs is not None and theirs.by == dispatch_id
    if ours and seen.life.status in (Status.CLAIMED, claim.run.life.status):
        return Fate.MINE
    if seen.life.status != Status.CLAIMED or seen.life.attempt:
        return Fate.DONE
    if force or theirs is None or theirs.until_ms < now_ms:
        return Fate.TAKE
    return Fate.LEFT


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
    lost_for: Reason = Reason.OUTSIDE_GRACE
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

    @property
    def claim(self) -> run_row.Claim:
        """Returns its claim of a slot."""
        return run_row.Claim(by=self.dispatch_id, until_ms=self.claim_until)

    def count(self, name: str, number: int) -> None:
        """Adds to a count of the report."""
        self.counts[name] = self.counts.get(name, 0) + number


def new_tick(*, force: bool = False) -> Tick:
    return Tick(ids.token(), clock.now_ms(), clock.monotonic() + DISPATCH_LIMIT_SEC, force)
