"""Profiles of nights on which clocks change, of several tenants, of edits that move runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import SLOW, Scene, quiet
from tests.simulation.stage import Course

_MINUTES = ("minute", "twenty")

APART = (
    # Berlin's clocks go on three minutes after the beginning, or back.
    Scene(
        name="walls on",
        kinds=("gap fire", "gap skip", "gap shift", "gap elapsed"),
        drawn=2,
        faults=quiet(crash_before=0.01, crash_after=0.02, double_message=0.1),
        start=datetime(2027, 3, 28, 0, 57, tzinfo=UTC),
    ),
    Scene(
        name="walls back",
        kinds=("pass first", "pass last", "pass both", "gap elapsed"),
        drawn=2,
        faults=quiet(crash_before=0.01, crash_after=0.02, double_message=0.1),
        start=datetime(2026, 10, 25, 0, 57, tzinfo=UTC),
    ),
    # Jitter carries slots into a calendar, and out of one.
    Scene(
        name="closed late",
        kinds=("closed late", "closed slot"),
        faults=quiet(crash_before=0.01, crash_after=0.02, double_message=0.1),
        course=Course(ticks_until=630),
    ),
    # Users come in the very second in which something is due.
    Scene(
        name="to the second",
        kinds=("often",),
        drawn=1,
        faults=quiet(crash_before=0.01, crash_after=0.01, skew_ms=1_000),
        calls=("nap",),
        calls_max=2,
        calls_between=(10, 40),
    ),
    # A schedule is changed while it is paused.
    Scene(
        name="edited asleep",
        kinds=("minute", "twenty", "jitter"),
        drawn=1,
        faults=quiet(crash_before=0.01, crash_after=0.02),
        calls=("edited asleep",),
        calls_max=1,
        calls_between=(20, 100),
    ),
    # And goes on while the books cannot be written.
    Scene(
        name="deaf books",
        kinds=_MINUTES,
        faults=Profile(outages=(Outage(from_sec=185, for_sec=13, table="runs"),)),
        calls=("edited asleep",),
        calls_max=1,
        calls_between=(24.6, 25.2),
    ),
    # Tasks are deleted while their runs wait for another attempt.
    Scene(
        name="deleted",
        kinds=_MINUTES,
        faults=quiet(crash_before=0.01, crash_after=0.02, slow=0.1),
        calls=("delete",),
        calls_max=2,
        failing=0.7,
        waits=(20, 60),
        takes_sec=5,
    ),
    # One dispatcher dies with its claims; of two that take them over one dies, one comes too late.
    Scene(
        name="takers",
        kinds=_MINUTES,
        drawn=1,
        aims=(
            Aim("dispatch#0", "batch_execute_statement", 0, Fault.CRASH_AFTER),
            Aim("dispatch#6", "query", 0, Fault.CRASH_BEFORE),
            Aim("dispatch#1", "batch_execute_statement", 1, Fault.CRASH_AFTER),
            Aim("dispatch#7", "batch_execute_statement", 1, Fault.STALL_BEFORE, stall_sec=5),
        ),
        course=Course(dispatchers=2),
    ),
    # SQS takes no message that wakes the next in line, and nobody comes later.
    Scene(
        name="deaf wakes",
        kinds=("last queue", "last two"),
        drawn=1,
        aims=tuple(
            Aim(f"work#{worker}", "send_message_batch", nth, Fault.REFUSED)
            for worker in range(8)
            for nth in range(3)
        ),
        takes_sec=40,
    ),
    # Workers stand still before they ask for more time, and lose their permits.
    Scene(
        name="permits lost",
        kinds=("twenty",),
        drawn=1,
        faults=quiet(crash_before=0.05, crash_after=0.05),
        aims=tuple(
            Aim(f"work#{worker}", "batch_execute_statement", 2, Fault.STALL_BEFORE, stall_sec=31)
            for worker in range(12)
        ),
        takes_sec=90,
        running_max=1,
    ),
    # Runs are asked to stop while copies of their messages turn up.
    Scene(
        name="asked twice",
        kinds=("previous",),
        drawn=1,
        faults=quiet(double_message=0.6, double_after_ms=(0, 40_000)),
        course=Course(ticks_until=240),
        takes_sec=60,
    ),
    # And copies of their first messages beside those of their next attempts.
    Scene(
        name="old beside new",
        kinds=("twenty",),
        drawn=1,
        faults=quiet(
            double_message=0.6, double_after_ms=(0, 3_000), pickup_ms=(0, 2_500), shuffle=True
        ),
        course=Course(ticks_until=240),
        failing=0.8,
        waits=(1,),
    ),
    # Messages are given up on while the last attempt is at work.
    Scene(
        name="buried last",
        kinds=_MINUTES,
        drawn=1,
        faults=quiet(double_message=0.5, crash_after=0.01),
        course=Course(receives_max=2),
        failing=0.8,
        waits=(1,),
        takes_sec=60,
    ),
    # Priorities are changed while runs are claimed.
    Scene(
        name="rerouted",
        kinds=(*_MINUTES, "queue", "skip"),
        faults=quiet(crash_before=0.01, crash_after=0.02, double_message=0.1),
        calls=("urgent", "unhurried"),
        calls_max=4,
    ),
    # Handlers give their runs back, and fail between.
    Scene(
        name="yields",
        kinds=(*_MINUTES, "queue", "fragile"),
        faults=quiet(crash_after=0.01, double_message=0.1),
        failing=0.7,
        yielding=0.6,
        takes_sec=3,
    ),
    # Keys are changed while runs stand in their lines.
    Scene(
        name="rekeyed",
        kinds=("key", "key too", "key queue"),
        drawn=3,
        faults=replace(SLOW, faults_max=4),
        calls=("rekey",),
        calls_max=2,
        calls_between=(60, 160),
        takes_sec=60,
        failing=0.1,
    ),
    # Two tenants have chosen one key.
    Scene(
        name="one key",
        kinds=("key ours", "key theirs"),
        faults=replace(SLOW, faults_max=4),
        takes_sec=50,
        failing=0.1,
    ),
    # Nothing has ticked for minutes, and a tick catches up on two tasks only.
    Scene(
        name="shares",
        kinds=("share a", "share b", "share c", "share d", "single"),
        drawn=5,
        faults=quiet(double_message=0.05),
        course=Course(gap=(1, 540), ticks_until=780, sec=1_500, budget_min=2),
    ),
    # A retry comes 40 minutes later, and its message is gone by then.
    Scene(
        name="patient",
        kinds=("patient",),
        drawn=1,
        faults=Profile(faults_until_sec=2_500, purge=1.0),
        failing=0.9,
        waits=(2_400,),
        course=Course(sec=3_900),
    ),
    # Minutes of the past are run again where nothing holds them apart.
    Scene(
        name="refilled",
        kinds=_MINUTES,
        drawn=1,
        faults=quiet(crash_before=0.01, crash_after=0.02, repeated=0.02),
        calls=("backfill",),
        calls_max=2,
    ),
)
