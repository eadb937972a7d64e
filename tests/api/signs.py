"""Signs of life, as a tick and an audit leave them."""

from __future__ import annotations

from onthedot.dispatch.due_tasks import Backlog
from onthedot.store import table_reads
from onthedot.upkeep.minute_tally import Tally
from onthedot.upkeep.tallies import keep
from tests.api.kit import Api


def ticked(api: Api) -> None:
    """Writes what a tick leaves: a tick in this place would find its clock too far off."""
    after = Backlog().after_tick(on_time=0, overdue=0, at_ms=api.now_ms)
    table_reads.put("runs", after.item())


def audited(_api: Api, waiting: int = 0) -> None:
    """Lets an audit keep its minute."""
    keep(Tally(), waiting)
