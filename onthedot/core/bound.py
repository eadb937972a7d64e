"""What `max_runs` counts: slots that were claimed to run, whatever became of them then."""

from __future__ import annotations

from onthedot.core.keys import is_slot_key
from onthedot.core.run import Run


def counts(run: Run) -> bool:
    """Tell whether a row is one of those; a record was never claimed, and a miss is no run."""
    life = run.life
    given_up = life.status == "missed" or life.reason == "coalesced" or bool(life.dropped)
    claimed = is_slot_key(run.key) and life.claimed_ms > 0
    return claimed and (life.attempt > 0 or not given_up)
