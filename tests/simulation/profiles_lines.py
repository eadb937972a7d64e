"""Profiles of lines in which nothing goes wrong: nobody waits long, and nobody overtakes."""

from __future__ import annotations

from tests.simulation.scene import Scene, quiet
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=210, sec=900)

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
    Scene(
        name="tenant's line",
        kinds=("minute", "twenty", "jitter", "last two"),
        drawn=3,
        course=_COURSE,
        takes_sec=40,
        running_max=2,
    ),
    # Slow stores: whoever comes may be quicker than one that was called.
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
