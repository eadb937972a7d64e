"""Profiles that were made for a law: lines, costs, lost leases."""

from __future__ import annotations

from tests.simulation.profiles.running.profiles_leases import LEASES
from tests.simulation.profiles.running.profiles_lines import LINES
from tests.simulation.profiles.running.profiles_unsure import UNSURE
from tests.simulation.profiles.upkeep.profiles_cost import COSTS
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

# Attempts fail, and nothing else goes wrong: each is followed in its time.
_FAILING = Scene(
    name="failing",
    kinds=("steady", "doubling", "twenty", "fragile"),
    drawn=4,
    course=Course(ticks_until=210, sec=1_100),
    failing=0.6,
    yielding=0.2,
    waits=(None, None, 0, 4, 20),
    takes_sec=9,
)
JUDGED = (*LINES, *COSTS, *LEASES, *UNSURE, _FAILING)
