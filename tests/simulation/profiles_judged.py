"""Profiles that were made for a law: lines, costs, lost leases."""

from __future__ import annotations

from tests.simulation.profiles_cost import COSTS
from tests.simulation.profiles_leases import LEASES
from tests.simulation.profiles_lines import LINES

JUDGED = (*LINES, *COSTS, *LEASES)
