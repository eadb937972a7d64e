"""Signs of life, as a tick and an audit leave them."""

from __future__ import annotations

from onthedot.adapters import tables
from onthedot.core.backlog import Backlog
from onthedot.core.tally import Tally
from onthedot.flows.tallies import keep
from tests.api.kit import Api


def ticked(api: Api) -> None:
    """What a tick leaves; one in this place would find its clock too far from the store's."""
    after = Backlog().after_tick(on_time=0, overdue=0, at_ms=api.now_ms)
    tables.put("runs", after.item())


def audited(_api: Api, waiting: int = 0) -> None:
    """Let an audit keep its minute."""
    keep(Tally(), waiting)
