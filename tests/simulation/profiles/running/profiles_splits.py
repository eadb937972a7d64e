"""Profiles of packs that come back while SQS takes no messages of their runs, or not all."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=210, sec=900)
_GATED = ("queue", "last queue", "two", "key queue", "hasty queue")
# Their runs have one due time, and so one message; workers die over it before its runs start.
_PACKED = ("minute", "twenty", "latest", "all", "queue", "jitter")
# Every third worker dies over its messages; while they come back, SQS takes no others, or some.
_DEATHS = tuple(
    Aim(f"work#{number}", "change_message_visibility_batch", 0, Fault.CRASH_AFTER)
    for number in range(0, 24, 3)
)
_UNHEARD = Profile(
    outages=(
        *(Outage(from_sec=at, for_sec=8, queue="normal") for at in (36, 76, 116)),
        Outage(from_sec=96, for_sec=12, queue="normal", share=0.5),
    ),
)
_SPLIT = Scene(
    name="unheard splits", kinds=_PACKED, drawn=4, faults=_UNHEARD, course=_COURSE, aims=_DEATHS
)

SPLITS = (
    _SPLIT,
    replace(_SPLIT, name="unheard splits of gates", kinds=(*_GATED, "minute", "twenty")),
    replace(_SPLIT, name="unheard splits of a quota", running_max=3),
)
