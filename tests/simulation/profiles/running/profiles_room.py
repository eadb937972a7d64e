"""Profiles of few places: each queue has one worker, and what it runs takes long."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.scene import UNTIL_CALM, Scene
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_SHORT = Course(ticks_until=250, sec=1_500)

ROOM = (
    # All that is due is started beside what runs already.
    Scene(
        name="slow calls",
        kinds=("twenty", "beta", "minute", "jitter", "beta high", "skip"),
        drawn=3,
        course=_SHORT,
        takes_sec=100,
        failing=0.1,
        sizes=Sizes(places=1, closes=800),
    ),
    # One tenant has more to run than its share of the room; the other one's runs start on time.
    Scene(
        name="slow neighbours",
        kinds=("beta", "fives", "fives too"),
        drawn=3,
        course=_SHORT,
        takes_sec=100,
        sizes=Sizes(places=1, closes=800, of_tenant=4),
    ),
    # And everything goes wrong meanwhile.
    Scene(
        name="slow and rough",
        kinds=("twenty", "beta", "fives", "queue", "two"),
        drawn=3,
        faults=replace(UNTIL_CALM, crash_before=0.005, crash_after=0.01),
        course=Course(ticks_until=250, sec=2_400),
        takes_sec=60,
        failing=0.1,
        sizes=Sizes(places=2, of_tenant=6),
    ),
    # Some handlers kill the worker that slow runs keep.
    Scene(
        name="slow and deadly",
        kinds=("twenty", "beta", "minute", "jitter"),
        drawn=3,
        course=Course(ticks_until=190, sec=2_400),
        takes_sec=60,
        killing=0.03,
        sizes=Sizes(places=3, closes=800),
    ),
)
