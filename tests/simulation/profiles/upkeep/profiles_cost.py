"""Profiles in which nothing goes wrong and nobody waits: what runs cost is counted to the unit."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.scene import Scene
from tests.simulation.stage import Course

_COSTS = Scene(
    name="costs",
    kinds=("minute", "skip", "queue", "previous", "two", "key", "key queue", "rated minute"),
    drawn=2,
    course=Course(ticks_until=210, sec=700),
    costed=True,
)
COSTS = (_COSTS, replace(_COSTS, name="costs of a quota", running_max=9))
