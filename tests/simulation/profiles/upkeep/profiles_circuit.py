"""Profiles of a backlog that grows: its circuit opens, and closes again."""

from __future__ import annotations

from tests.simulation.auditor import Auditor
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.laws.timing.laws_circuit import Circuit
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

_BUDGET = 10
# Nothing can be claimed for minutes, and each minute one more is overdue.
_NOT_CLAIMED = Outage(from_sec=0, for_sec=570, table="runs", partition="INSERT")


def _growing(name: str, drawn: int, *, opens: bool) -> Scene:
    laws = (Circuit(_BUDGET, opens).obeyed,)
    auditor = Auditor(laws=laws)
    return Scene(
        name=name,
        kinds=("strict", *(f"minute {minute}" for minute in range(3, 10))),
        drawn=drawn,
        crowd=9,
        faults=Profile(outages=(_NOT_CLAIMED,)),
        course=Course(ticks_until=1_200, sec=2_400, budget_min=_BUDGET, auditor=auditor),
    )


CIRCUIT = (
    _growing("circuit", 8, opens=True),
    # It stands still in some minutes: then it may open later, or never.
    _growing("circuit slowly", 6, opens=False),
)
