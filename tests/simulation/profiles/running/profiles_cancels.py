"""Profiles of runs that users, or newer runs, cancel while their targets are called."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import Scene, quiet
from tests.simulation.stage import Course

_KINDS = ("slow post", "slow post previous", "invoked", "invoked previous", "handled")
_HURT = quiet(crash_before=0.01, crash_after=0.02, lost=0.03, slow=0.05, double_message=0.05)
_STALLS = Profile(
    faults_until_sec=190.0,
    faults_max=12,
    stall_before=0.04,
    stall_after=0.04,
    stall_sec=(8.0, 45.0),
    skew_ms=2_000,
)
_REFUSES = tuple(Outage(from_sec=at, for_sec=8, table="runs") for at in (70, 120, 170))


def _broken_off(name: str, faults: Profile) -> Scene:
    return Scene(
        name=name,
        kinds=_KINDS,
        drawn=2,
        faults=faults,
        course=Course(ticks_until=270, sec=1_200),
        calls=("cancel",),
        calls_max=12,
        calls_between=(60, 280),
        outside=True,
    )


CANCELS = (
    _broken_off("broken off", Profile()),
    _broken_off("broken off crashes", _HURT),
    _broken_off("broken off stalls", _STALLS),
    _broken_off("broken off throttled", Profile(outages=_REFUSES)),
    # Handlers that look at nothing, and take long.
    replace(
        _broken_off("broken off deaf", Profile()),
        kinds=("minute", "twenty", "previous"),
        outside=False,
        takes_sec=40,
        deaf=0.5,
        failing=0.2,
    ),
)
