"""What `max_runs` counts: slots that were claimed to run, whatever became of them then."""

from __future__ import annotations

from onthedot.core.keys import is_slot_key
from onthedot.core.run import Run


def counts(run: Run) -> bool:
    """Tell whether a row is one of those; a record was never claimed, and a miss is no run."""
    given_up = run.life.status == "missed" or run.life.reason == "coalesced"
    claimed = is_slot_key(run.key) and run.life.claimed_ms > 0
    return claimed and (run.life.attempt > 0 or not given_up)
