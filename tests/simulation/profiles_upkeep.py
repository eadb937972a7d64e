"""Profiles of what nobody sees while all is well: lost rows, dead messages, the day before."""

from __future__ import annotations

from tests.simulation import laws_aside, laws_looks, laws_lost, laws_told, losing
from tests.simulation.auditor import Auditor
from tests.simulation.faults import Aim, Fault
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

_CLAIMS = "batch_execute_statement"

UPKEEP = (
    # Rows vanish that were claimed: of slots, of slots of schedules that are edited, and others.
    Scene(
        name="rows lost",
        kinds=("minute", "twenty", "jitter", "all"),
        calls=("trigger", "trigger", "put off", "other"),
        calls_max=4,
        calls_between=(60, 260),
        course=Course(
            ticks_until=330,
            sec=1_680,
            auditor=Auditor(
                told=True,
                calm=True,
                laws=(laws_lost.heeded, laws_told.heeded, laws_aside.founded),
                prepared=losing.prepared,
                alone=True,
            ),
        ),
    ),
    # A dispatcher dies before it claims what it has listed, and a range stands for that later.
    Scene(
        name="listed in vain",
        kinds=("latest", "none", "twenty", "all", "eighth"),
        aims=(Aim("dispatch#0", _CLAIMS, 0, Fault.CRASH_BEFORE),),
        course=Course(gap=(1, 800), ticks_until=1_020, sec=1_900, rows_max=2),
    ),
    # The day before is looked at, too.
    Scene(
        name="looked further",
        kinds=("fragile",),
        drawn=1,
        course=Course(
            ticks_until=130,
            sec=580,
            auditor=Auditor(look_back_min=30, further=True, laws=(laws_looks.heeded,)),
        ),
    ),
)
