"""Profiles of lines in which nothing goes wrong: nobody waits long, and nobody overtakes."""

from __future__ import annotations

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import Scene, quiet
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=210, sec=900)
# While those who wait are to be called, SQS takes no message.
_UNHEARD = Profile(
    outages=tuple(Outage(from_sec=at, for_sec=7, queue="normal") for at in (63, 92, 125, 161))
)
# Every third worker dies before its first message, which calls the next run.
_DIES_CALLING = tuple(
    Aim(f"work#{number}", "send_message_batch", 0, Fault.CRASH_BEFORE) for number in range(1, 60, 3)
)

LINES = (
    Scene(
        name="lines",
        kinds=("queue", "two", "key", "key too", "rated"),
        drawn=4,
        course=_COURSE,
        calls=("trigger", "backfill"),
        calls_max=4,
        takes_sec=40,
    ),
    # Workers stand still with a permit in their hands, until it is over.
    Scene(
        name="stalled permits",
        kinds=("minute", "twenty"),
        aims=tuple(
            Aim(f"work#{number}", "batch_execute_statement", 0, Fault.STALL_AFTER, stall_sec=26)
            for number in range(2, 60, 4)
        ),
        course=_COURSE,
        takes_sec=8,
        running_max=3,
    ),
    # Messages come in any order; what is due is not.
    Scene(
        name="shuffled lines",
        kinds=("queue", "last queue"),
        drawn=1,
        faults=Profile(shuffle=True, pickup_ms=(0, 900)),
        course=_COURSE,
        calls=("trigger",),
        calls_max=14,
        calls_between=(71, 71.5),
        takes_sec=5,
    ),
    Scene(
        name="tenant's line",
        kinds=("minute", "twenty", "jitter", "last two"),
        drawn=3,
        course=_COURSE,
        takes_sec=40,
        running_max=2,
    ),
    Scene(
        name="unheard lines",
        kinds=("queue", "last queue", "two", "key", "key too", "key queue"),
        drawn=4,
        faults=_UNHEARD,
        course=_COURSE,
        calls=("cancel", "trigger"),
        calls_max=4,
        takes_sec=25,
        failing=0.2,
    ),
    Scene(
        name="tenant's unheard line",
        kinds=("minute", "twenty", "last queue", "key"),
        drawn=3,
        faults=_UNHEARD,
        course=_COURSE,
        calls=("cancel", "trigger", "limit"),
        calls_max=4,
        takes_sec=20,
        failing=0.2,
        running_max=2,
    ),
    # A run with a place is cancelled between its attempts, and no later run looks at the line.
    Scene(
        name="given up lines",
        kinds=("last queue", "last two", "key"),
        drawn=2,
        course=_COURSE,
        calls=("cancel", "cancel", "cancel", "trigger"),
        calls_max=8,
        calls_between=(70, 200),
        takes_sec=15,
        failing=0.7,
        waits=(20, 40),
    ),
    # A worker dies between an outcome and the release of its place.
    Scene(
        name="deserted lines",
        kinds=("last queue", "last two"),
        drawn=1,
        aims=_DIES_CALLING,
        course=_COURSE,
        calls=("trigger",),
        calls_max=12,
        calls_between=(20, 110),
        takes_sec=40,
    ),
    # Runs that wait for the tenant's quota are cancelled.
    Scene(
        name="tenant's given up line",
        kinds=("minute", "twenty", "last two"),
        drawn=2,
        course=_COURSE,
        calls=("cancel",),
        calls_max=9,
        calls_between=(70, 240),
        takes_sec=40,
        failing=0.3,
        running_max=1,
    ),
    # The line of a key is full: who comes waits in the queue.
    Scene(
        name="full line",
        kinds=("key", "key too", "key queue"),
        drawn=3,
        faults=quiet(slow=0.02),
        course=_COURSE,
        sizes=Sizes(line_max=2),
        takes_sec=50,
    ),
    # Slow stores: a run that comes may be quicker than one that was called.
    Scene(
        name="slow lines",
        kinds=("queue", "often", "two", "key", "key too", "key queue"),
        drawn=4,
        faults=quiet(slow=0.3, shuffle=True, late_message=0.3),
        course=_COURSE,
        calls=("trigger",),
        calls_max=4,
        takes_sec=30,
    ),
    Scene(
        name="tenant's slow line",
        kinds=("minute", "twenty", "jitter", "own"),
        drawn=3,
        faults=quiet(slow=0.3, shuffle=True),
        course=_COURSE,
        takes_sec=30,
        running_max=1,
    ),
)
