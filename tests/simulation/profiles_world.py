"""Profiles of a world as unkind as AWS: freezes, wrong clocks, rows that vanish, late handlers."""

from __future__ import annotations

from tests.simulation.faults import Profile
from tests.simulation.scene import FAULTS_UNTIL_SEC, Scene
from tests.simulation.stage import Course

_UNTIL = FAULTS_UNTIL_SEC

WORLD = (
    # Processes stop as a whole wherever they stand, and go on when their leases may be over.
    Scene(
        name="frozen",
        kinds=("minute", "twenty", "skip", "queue", "two", "jitter"),
        faults=Profile(faults_until_sec=_UNTIL, freezes=6, skew_ms=2_000, double_message=0.1),
        takes_sec=20,
        failing=0.2,
    ),
    # Handlers that do not look up: their attempts end, and their processes.
    Scene(
        name="deaf",
        kinds=("hasty", "hasty queue", "twenty", "minute"),
        takes_sec=60,
        deaf=0.5,
        timely=True,
    ),
    Scene(
        name="overtime",
        kinds=("hasty", "hasty queue", "twenty"),
        faults=Profile(faults_until_sec=_UNTIL, freezes=1, crash_after=0.01, faults_max=3),
        takes_sec=40,
        deaf=0.3,
        failing=0.1,
    ),
    # Clocks are set while their processes are under way, each time within what is allowed.
    Scene(
        name="clocks set",
        faults=Profile(
            faults_until_sec=300, skew_ms=2_000, clock_steps=40, freezes=10, freeze_sec=(15, 26)
        ),
        takes_sec=40,
    ),
    # Every fifth machine's clock is off by more than may be corrected.
    Scene(
        name="astray",
        faults=Profile(faults_until_sec=_UNTIL, astray=0.2, faults_max=4, crash_after=0.01),
    ),
    # Rows and lists from days ago vanish while runs of them are open, replayed and cancelled.
    Scene(
        name="expiring",
        kinds=("minute", "twenty"),
        drawn=1,
        faults=Profile(expires=True, faults_until_sec=1e6),
        calls=("replay", "replay", "cancel", "trigger"),
        calls_max=4,
        calls_between=(5, 400),
        elders=True,
        course=Course(ticks_until=240, sec=1_800),
    ),
)
