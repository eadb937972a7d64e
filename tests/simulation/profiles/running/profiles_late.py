"""Profiles of slots that are late: planned too late, or claimed, and their messages lost."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import UNTIL_CALM, Scene
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_ALL = ("all skip", "all queue", "all two", "all previous", "all open", "all bounded")
_GIVEN_UP = ("latest queue", "latest skip", "latest bounded", "none skip", "none queue")
_OUT = Course(gap=(1, 360), ticks_until=660, sec=2_400, dispatch_limit_sec=240)
# SQS takes no message for longer than a slot may wait to be taken up.
_UNSENT = Profile(outages=(Outage(from_sec=50, for_sec=290, queue="normal"),))
# Messages are on their way for minutes, and those that the audit sends again, too.
_TARDY = Profile(late_message=0.5, late_message_ms=(1_000, 300_000), faults_until_sec=500)
# Workers die before their first write: messages come again when their visibility is over.
_DIES_STARTING = tuple(
    Aim(f"work#{number}", "batch_execute_statement", 0, Fault.CRASH_BEFORE)
    for number in range(1, 40, 2)
)

LATE = (
    Scene(name="caught up", kinds=_ALL, course=_OUT, takes_sec=12),
    Scene(name="given up", kinds=_GIVEN_UP, course=_OUT, takes_sec=12),
    Scene(
        name="caught up rough",
        kinds=_ALL,
        faults=replace(UNTIL_CALM, faults_until_sec=640),
        course=_OUT,
        takes_sec=12,
        failing=0.1,
    ),
    Scene(
        name="given up rough",
        kinds=_GIVEN_UP,
        faults=replace(UNTIL_CALM, faults_until_sec=640, double_tick=0.0),
        course=_OUT,
        takes_sec=12,
        failing=0.1,
    ),
    *(
        Scene(
            name=name,
            kinds=(*_ALL, *_GIVEN_UP),
            drawn=3,
            faults=faults,
            course=Course(ticks_until=660, sec=2_400),
            takes_sec=12,
        )
        for name, faults in (("unsent late", _UNSENT), ("tardy late", _TARDY))
    ),
    # No newer slot is due: the newest of the late ones runs.
    Scene(name="newest late", kinds=("latest ending",), drawn=1, course=_OUT, takes_sec=2),
    # A dispatcher stalls before it claims what the next one records as missed, in a range.
    Scene(
        name="covered all",
        kinds=("all strict",),
        drawn=1,
        aims=(Aim("dispatch#1", "batch_execute_statement", 0, Fault.STALL_BEFORE, stall_sec=70),),
        course=replace(_OUT, gap=(1, 420), sec=1_800, rows_max=2),
    ),
    # Some end without a run after they were claimed, and others may have their places.
    Scene(
        name="bounded late",
        kinds=("latest bounded", "none queue", "all bounded"),
        drawn=1,
        faults=_TARDY,
        course=Course(ticks_until=900, sec=2_400),
        takes_sec=12,
    ),
    # Long runs: who stands behind them is not late, however long that takes.
    Scene(
        name="slow late",
        kinds=("all queue", "latest queue", "none queue"),
        faults=_TARDY,
        course=Course(ticks_until=660, sec=3_000),
        takes_sec=75,
    ),
    Scene(
        name="long late",
        kinds=("all queue", "latest queue", "none queue", "all skip"),
        course=Course(ticks_until=400, sec=2_400),
        takes_sec=100,
    ),
    Scene(
        name="died late",
        kinds=(*_ALL, *_GIVEN_UP),
        drawn=3,
        aims=_DIES_STARTING,
        course=Course(gap=(1, 200), ticks_until=660, sec=2_400),
        takes_sec=12,
    ),
    # Workers that have their share of a tenant's runs put late ones off, too.
    Scene(
        name="late neighbours",
        kinds=("twenty", "none", "fives", "fives too"),
        drawn=3,
        faults=_TARDY,
        course=Course(ticks_until=660, sec=2_400),
        takes_sec=60,
        sizes=Sizes(places=1, closes=800, of_tenant=4),
    ),
    # Users pause, resume, cancel, trigger and edit while late slots catch up.
    Scene(
        name="steered late",
        kinds=_ALL,
        faults=Profile(late_message=0.1, double_message=0.1, shuffle=True),
        course=_OUT,
        takes_sec=12,
        calls=("pause", "resume", "cancel", "trigger", "payload", "half", "backfill"),
        calls_max=8,
        calls_between=(200, 620),
    ),
)
