"""Profiles of a world as unkind as AWS: freezes, wrong clocks, rows that vanish, late handlers."""

from __future__ import annotations

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.profiles.running.kinds_world import (
    AUTUMN,
    EXPECTED,
    NEW_YEAR,
    SPRING,
    TENANTS,
)
from tests.simulation.scene import FAULTS_UNTIL_SEC, Scene
from tests.simulation.sizes import Sizes
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
    # One worker dies with many runs at once, while others start each second.
    Scene(
        name="deaths in company",
        kinds=("minute", "half past"),
        crowd=7,
        aims=(Aim("work#1", "change_message_visibility_batch", 1, Fault.CRASH_AFTER),),
        course=Course(ticks_until=150, sec=600),
        takes_sec=50,
        resumed=True,
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
    # Pages of two and batches of three, and more tasks than that in one shard.
    Scene(
        name="pages",
        kinds=("minute", "twenty", "skip", "three", "jitter", "once", "queue"),
        drawn=5,
        faults=Profile(faults_until_sec=_UNTIL, faults_max=3, crash_after=0.01),
        sizes=Sizes(page=2, batch=3, got_at_once=3, shards=1),
        course=Course(ticks_until=250, sec=900),
    ),
    # More at one second than a message, a batch of writes and a read may hold.
    Scene(
        name="crowd",
        kinds=("minute",),
        drawn=1,
        crowd=55,
        faults=Profile(faults_until_sec=_UNTIL, faults_max=2, partial=0.2, split=0.2),
        course=Course(ticks_until=70, sec=700),
    ),
    # All 256 shards, two at once, of which few have tasks.
    Scene(
        name="shards",
        kinds=("minute", "twenty", "skip", "jitter"),
        drawn=3,
        faults=Profile(faults_until_sec=_UNTIL, faults_max=2, crash_after=0.001, lost=0.001),
        sizes=Sizes(shards_at_once=2, all_shards=True),
        course=Course(ticks_until=140, sec=700),
    ),
    # A dispatcher that has seen much hands shards over to siblings.
    Scene(
        name="siblings",
        kinds=("minute", "twenty", "skip", "jitter", "three"),
        drawn=5,
        faults=Profile(
            faults_until_sec=_UNTIL, faults_max=3, crash_after=0.01, double_tick=0.2, lost=0.01
        ),
        sizes=Sizes(shards=8, shards_at_once=2, due_max=1, all_shards=True),
        course=Course(ticks_until=250, sec=900),
    ),
    # Two tenants, all three queues, and a key whose text both have.
    Scene(
        name="neighbours",
        kinds=(*TENANTS, "twenty", "key"),
        drawn=4,
        faults=Profile(faults_until_sec=_UNTIL, faults_max=4, crash_after=0.01, double_message=0.1),
        takes_sec=10,
        failing=0.1,
    ),
    Scene(
        name="quotas of two",
        kinds=("twenty", "high", "low", "beta", "beta high"),
        drawn=3,
        faults=Profile(faults_until_sec=_UNTIL, faults_max=3, crash_after=0.01),
        takes_sec=20,
        running_max=2,
        course=Course(ticks_until=250),
    ),
    *(
        Scene(
            name=name,
            start=start,
            kinds=tuple(kind for at, kind in EXPECTED if at is start),
            drawn=4,
            faults=Profile(faults_until_sec=_UNTIL, faults_max=3, crash_after=0.01, skew_ms=2_000),
            course=Course(sec=900),
        )
        for name, start in (("spring", SPRING), ("autumn", AUTUMN), ("new year", NEW_YEAR))
    ),
    # The release of yesterday has begun the history, and works on beside today's for a while.
    Scene(
        name="mixed",
        kinds=("minute", "twenty", "skip", "queue", "three", "jitter", "two", "key"),
        drawn=3,
        faults=Profile(faults_until_sec=_UNTIL, faults_max=4, crash_after=0.01, double_message=0.1),
        takes_sec=10,
        failing=0.15,
        course=Course(yesterday_sec=240),
    ),
    # Each index is behind by up to 50 s: cursors that are due, and tasks that name a calendar.
    Scene(
        name="late indexes",
        kinds=("kept minute", "kept twenty", "kept open"),
        drawn=2,
        faults=Profile(
            faults_until_sec=_UNTIL, faults_max=3, index_lag_ms=(10, 50_000), crash_after=0.01
        ),
        calls=("move lunch", "move lunch", "close", "close", "open"),
        calls_max=4,
    ),
    # Messages that do not say whose they are, as an older release may have sent them.
    Scene(
        name="nameless",
        kinds=("twenty", "beta", "high", "queue", "beta low queue"),
        drawn=3,
        faults=Profile(
            faults_until_sec=1e6, faults_max=3, nameless=0.5, crash_after=0.003, double_message=0.1
        ),
        takes_sec=15,
        failing=0.1,
        running_max=2,
        course=Course(ticks_until=210),
    ),
    # Calls at once, of which one fails while others are under way: those go on, frozen for a while.
    Scene(
        name="in parallel",
        kinds=("minute", "twenty", "skip", "two", "key"),
        drawn=3,
        faults=Profile(
            faults_until_sec=_UNTIL,
            faults_max=10,
            lost=0.02,
            refused=0.02,
            throttled=0.02,
            crash_after=0.005,
            freezes=1,
            slow=0.1,
        ),
        sizes=Sizes(batch=2, got_at_once=4, in_parallel=True),
        takes_sec=15,
        failing=0.1,
        course=Course(ticks_until=210),
    ),
)
