"""Cancel a run: at once while it has not started, by request while it runs."""

from __future__ import annotations

from onthedot.adapters import claims, clock, tables
from onthedot.core import moves
from onthedot.core import run as runs
from onthedot.core.errors import BusyError
from onthedot.core.run import Run
from onthedot.core.writes import Outcome
from onthedot.flows import executions, gate, permits

_TRIES = 8


def cancel(run_id: str, *, by: str = "user") -> Run | None:
    """Give the run as it then stands: cancelled, asked to stop, or final already."""
    for _ in range(_TRIES):
        item = tables.get(runs.TABLE, runs.row_key(run_id))
        if item is None:
            return None
        seen = runs.parse(item)
        asked = seen.cancel_ms and seen.life.status == "running"
        if seen.final or asked:
            return seen
        now_ms = clock.now_ms()
        if seen.life.status == "running":
            claims.write_one(moves.request_cancel(seen, by, now_ms=now_ms))
        elif claims.write_one(moves.cancel(seen, by, now_ms=now_ms)) is Outcome.DONE:
            # What a run has started is stopped first: a store that is busy keeps its places only.
            executions.stop_soon(seen)
            permits.leave([seen])
            gate.give_up(seen)
    raise BusyError(f"{run_id} kept changing under {_TRIES} attempts to cancel it")
