"""Profiles of schedules that end: what is noted of them, and what edits make of it."""

from __future__ import annotations

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

# All three runs are claimed by the first tick, and over a minute after it.
_THREE = ("three latest",)

ENDINGS = (
    # Schedules that end, are bounded otherwise, and are given more: before and after it is noted.
    Scene(
        name="ending",
        kinds=("three", "three latest", "two none", "last two", "last queue"),
        drawn=2,
        faults=Profile(
            faults_until_sec=700,
            faults_max=10,
            crash_before=0.02,
            crash_after=0.03,
            lost=0.02,
            slow=0.05,
            conflict=0.05,
            stall_before=0.01,
            stall_sec=(5.0, 90.0),
        ),
        course=Course(ticks_until=960, sec=2_100),
        calls=("rebound", "rebound", "end soon", "other", "pause", "resume", "trigger", "payload"),
        calls_max=6,
        calls_between=(5, 700),
        failing=0.2,
        takes_sec=70,
        notes=True,
    ),
    # Rows of months ago lie behind those that end.
    Scene(
        name="ended of old",
        kinds=("last early",),
        drawn=1,
        course=Course(ticks_until=240, sec=1_800),
        elders=True,
        notes=True,
    ),
    # An edit drops all runs, and stands still before it gives them back: it is noted meanwhile.
    Scene(
        name="given back",
        kinds=_THREE,
        drawn=1,
        aims=(Aim("api#0", "transact_write_items", 1, Fault.STALL_BEFORE, stall_sec=120),),
        calls=("half",),
        calls_max=1,
        calls_between=(6, 14),
        notes=True,
    ),
    # Who has listed it stands still before its cursor leaves: the audit looks meanwhile.
    Scene(
        name="noted between",
        kinds=("three latest", "two none"),
        drawn=1,
        aims=(Aim("dispatch#0", "batch_execute_statement", 2, Fault.STALL_BEFORE, stall_sec=40),),
        notes=True,
    ),
    # They are given back while the note stands still.
    Scene(
        name="noted late",
        kinds=_THREE,
        drawn=1,
        aims=(
            Aim("api#0", "transact_write_items", 1, Fault.STALL_BEFORE, stall_sec=92),
            Aim("audit#1/7", "transact_write_items", 0, Fault.STALL_BEFORE, stall_sec=18),
        ),
        calls=("half",),
        calls_max=1,
        calls_between=(6, 14),
        notes=True,
    ),
    # An edit reads it before the note, and writes after it.
    Scene(
        name="unseen",
        kinds=_THREE,
        drawn=1,
        aims=(Aim("api#0", "transact_write_items", 0, Fault.STALL_BEFORE, stall_sec=50),),
        calls=("rebound",),
        calls_max=1,
        calls_between=(75, 95),
        notes=True,
    ),
    # It is listed, and the cursor leaves the index only after the audit has looked.
    Scene(
        name="listed ahead",
        kinds=_THREE,
        drawn=1,
        course=Course(gap=(50, 170), dispatch_limit_sec=240),
        aims=(Aim("dispatch#0", "batch_execute_statement", 2, Fault.STALL_BEFORE, stall_sec=75),),
        notes=True,
    ),
)
