"""Profiles in which users ask the API's own handlers, in calm and under faults."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.auditor import Auditor
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_EDITS = (
    "create",
    "edit",
    "edit",
    "shift",
    "put",
    "pause",
    "resume",
    "catch up",
    "delete",
    "trigger",
)
_RUNS = ("trigger", "replay", "cancel", "backfill", "task", "task", "tasks", "twice")
_LONG = Course(ticks_until=330, sec=1_100)

_READS = ("edit", "pause", "trigger", "task", "tasks", "cancel", "read", "read", "read", "read")
# Lists are read to their end; what of them is long is read now and then only.
READ = (
    Scene(
        name="read",
        kinds=(),
        users=_READS,
        users_max=8,
        calls_between=(5, 800),
        course=Course(ticks_until=420, sec=1_100),
    ),
    Scene(
        name="read many",
        kinds=(),
        users=("create", "task", "trigger", "delete", "read", "read", "read", "read", "read"),
        users_max=12,
        calls_between=(5, 600),
        course=_LONG,
        sizes=Sizes(listed=2),
    ),
    # A calendar closes some of what is to come.
    Scene(
        name="read closed",
        kinds=("kept minute", "kept twenty", "kept open"),
        drawn=2,
        users=("read",),
        users_max=4,
        calls_between=(5, 170),
        course=Course(ticks_until=330, sec=600),
    ),
    # Runs wait for one another, for a key, for its rate, or for the tenant's quota.
    Scene(
        name="read lines",
        kinds=("queue", "two", "key", "key too", "rated"),
        drawn=3,
        users=("runs",),
        users_max=5,
        calls_between=(60, 240),
        course=Course(ticks_until=210, sec=700),
        takes_sec=40,
    ),
    Scene(
        name="read tenant's line",
        kinds=("minute", "twenty", "last queue"),
        drawn=2,
        users=("runs",),
        users_max=5,
        calls_between=(60, 240),
        course=Course(ticks_until=210, sec=700),
        takes_sec=30,
        running_max=2,
    ),
    # Several ask each second how it is: all together cost what one does.
    Scene(
        name="read anxiously",
        kinds=("minute",),
        drawn=1,
        users=("watch", "watch", "watch"),
        users_max=5,
        course=Course(ticks_until=330, sec=400),
    ),
    # Nobody audits for a while, and the list of an hour begins within the history.
    Scene(
        name="read late",
        kinds=(),
        users=("trigger", "task", "read", "read"),
        users_max=10,
        calls_between=(100, 4_300),
        course=Course(
            ticks_until=480, sec=4_400, auditor=Auditor(gap=(330, 1_400), look_back_min=20)
        ),
    ),
)

ASKED = (
    Scene(name="asked", kinds=(), users=(*_EDITS, *_RUNS, "look"), users_max=8, course=_LONG),
    Scene(
        name="asked crashes",
        kinds=(),
        users=(*_EDITS, *_RUNS),
        users_max=8,
        course=_LONG,
        faults=quiet(crash_before=0.02, crash_after=0.02, lost=0.02, slow=0.05, skew_ms=2_000),
    ),
    Scene(
        name="asked answers",
        kinds=(),
        users=(*_EDITS, *_RUNS),
        users_max=8,
        course=_LONG,
        faults=replace(UNTIL_CALM, faults_max=20, stale=0.3, throttled=0.03, repeated=0.04),
    ),
    Scene(
        name="asked refused",
        kinds=(),
        users=(*_EDITS, *_RUNS),
        users_max=8,
        course=_LONG,
        faults=quiet(
            outages=(
                Outage(from_sec=20, for_sec=6, table="tasks", reads=True),
                Outage(from_sec=60, for_sec=5, table="runs", reads=True),
                Outage(from_sec=100, for_sec=8, table="access", reads=True),
                Outage(from_sec=150, for_sec=6, queue="normal"),
            )
        ),
    ),
    Scene(name="asked shifts", kinds=(), users=("shift",), users_max=9, course=_LONG),
    # A plan's second try finds what the first one has done.
    Scene(
        name="asked again",
        kinds=(),
        users=("catch up",),
        users_max=3,
        course=_LONG,
        faults=Profile(
            faults_until_sec=300,
            faults_max=50,
            crash_before=0.02,
            crash_after=0.06,
            lost=0.02,
        ),
    ),
    # What was asked for is run again as it was, and the API dies over one request after another.
    Scene(
        name="asked repeats",
        kinds=(),
        users=("trigger", "trigger", "repeat"),
        users_max=9,
        course=_LONG,
        faults=Profile(
            faults_until_sec=300, faults_max=50, crash_before=0.01, crash_after=0.03, lost=0.02
        ),
    ),
    Scene(
        name="asked calendars",
        kinds=(),
        users=("create", "edit", "calendar", "calendar", "pause", "resume"),
        users_max=5,
        course=_LONG,
        faults=replace(UNTIL_CALM, faults_max=5),
    ),
    Scene(
        name="asked keys",
        kinds=(),
        users=("key", "key", "trigger", "edit"),
        users_max=4,
        course=_LONG,
        faults=quiet(crash_before=0.01, crash_after=0.01, lost=0.01, skew_ms=2_000),
    ),
    Scene(
        name="asked letters",
        kinds=(),
        users=("letters", "letters", "replay", "create"),
        users_max=5,
        calls_between=(60, 300),
        course=_LONG,
        faults=quiet(crash_before=0.01, crash_after=0.01, lost=0.01, repeated=0.02),
        failing=0.6,
        raising=True,
    ),
    # What was triggered dies, and is run again with all that died.
    Scene(
        name="asked letters again",
        kinds=(),
        users=("trigger", "trigger", "letters", "letters"),
        users_max=10,
        calls_between=(20, 300),
        course=_LONG,
        faults=quiet(slow=0.02),
        failing=0.9,
        raising=True,
        waits=(1,),
    ),
    # The operator sets what the tenant may use, and code declares schedules beside its users.
    Scene(
        name="asked bounds",
        kinds=(),
        users=(
            "ration",
            "ration",
            "deploy",
            "deploy",
            "hurry",
            "hurry",
            "trigger",
            "create",
            "delete",
            "deploy",
        ),
        users_max=8,
        course=_LONG,
        faults=quiet(crash_before=0.01, crash_after=0.01, lost=0.01, repeated=0.02),
        takes_sec=5,
    ),
    *READ,
)
