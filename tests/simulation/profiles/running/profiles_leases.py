"""Profiles in which leases are lost while handlers are at work, beside others whose leases live."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

# No heartbeat of one task's runs is taken for longer than a lease lives.
_LOST = Scene(
    name="lost leases",
    kinds=("twenty", "minute", "jitter"),
    drawn=3,
    faults=Profile(
        outages=(Outage(from_sec=122, for_sec=40, table="runs", partition="TWENTY"),),
    ),
    course=Course(ticks_until=150, sec=1_100),
    takes_sec=140,
    deaf=0.6,
)
LEASES = (
    _LOST,
    # Workers stand still behind their starts, until hardly anything is left of their leases.
    Scene(
        name="late calls",
        kinds=("twenty", "minute", "skip"),
        aims=tuple(
            Aim(f"work#{n}", "batch_execute_statement", 0, Fault.STALL_AFTER, stall_sec=18.5 + n)
            for n in range(5)
        ),
        course=Course(ticks_until=150, sec=900),
        takes_sec=10,
    ),
    # Nor is what a store holds of them read for so long.
    replace(
        _LOST,
        name="lost blindly",
        faults=Profile(
            outages=(
                Outage(from_sec=122, for_sec=40, table="runs", partition="TWENTY", reads=True),
            ),
        ),
    ),
    # The same of permits: a run never outlives its own.
    replace(
        _LOST,
        name="lost permits",
        faults=Profile(
            outages=(Outage(from_sec=122, for_sec=40, table="runs", partition="permit#acme"),),
        ),
        running_max=9,
    ),
)
