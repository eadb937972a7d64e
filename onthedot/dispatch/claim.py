"""A slot that a dispatcher wants, and what becomes of its claim when the row is there already."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from onthedot.records.runs import max_runs
from onthedot.records.runs.message_pack import Address, Ticket
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.misfire import ENDINGS
from onthedot.records.tasks.task_cursor import Due


class Fate(Enum):
    """MINE is to be sent by us, DONE needs nothing more, TAKE may be taken over, LEFT is open."""

    MINE = "mine"
    DONE = "done"
    TAKE = "take"
    LEFT = "left"


@dataclass(slots=True, kw_only=True)
class Claim:
    """One slot of a plan on its way; its fate is what the store answers."""

    due: Due
    run: Run
    fate: Fate = Fate.LEFT
    # The row that was there already, and needs nothing more.
    found: Run | None = None
    # An edit has counted it, as it was claimed by then.
    counted: bool = False

    @property
    def fires(self) -> bool:
        """Tell a slot to be run from one that is only recorded."""
        return self.run.life.status == "claimed"

    @property
    def is_given_up(self) -> bool:
        """Tell whether misfire ends it without a run."""
        return (self.run.life.status, self.run.life.reason) in ENDINGS

    @property
    def counts(self) -> bool:
        """Tell a slot that `max_runs` counts: one that is planned to be recorded may have run."""
        if self.counted:
            return False
        if self.found:
            return max_runs.counts(self.found)
        return self.fires and not self.run.life.dropped

    @property
    def address(self) -> Address:
        """What runs of one message have in common."""
        run = self.run
        return run.queue, run.tenant_id, run.life.due_ms, self.due.pack_max

    @property
    def ticket(self) -> Ticket:
        """The run as a message names it."""
        return Ticket(self.run.run_id, 1, self.run.life.tv)


def fate_of(claim: Claim, seen: Run | None, dispatch_id: str, now_ms: int, *, force: bool) -> Fate:
    """Decide on a slot whose row could not be put, by the row as it is."""
    if seen is None:
        return Fate.LEFT
    if seen.life.claim_id == dispatch_id and seen.life.status in ("claimed", claim.run.life.status):
        return Fate.MINE
    if seen.life.status != "claimed" or seen.life.attempt:
        return Fate.DONE
    if force or seen.life.claim_until < now_ms:
        return Fate.TAKE
    return Fate.LEFT
