"""Profiles of writes whose answers are lost, of which only the true writes tell what became."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

# A minute's step makes each of its claims twice: the second time it is refused by its own first.
_FILLS = Scene(
    name="fills unsure",
    kinds=("minute", "twenty", "two"),
    drawn=1,
    calls=("backfill",),
    calls_max=3,
    aims=tuple(
        Aim(f"step#{step}", "batch_execute_statement", nth, Fault.LOST)
        for step in range(10)
        for nth in range(0, 4, 2)
    ),
    course=Course(sec=900),
)
# Slots lie one second apart, and the rate of a minute ends between two of them.
_PAIRS = replace(_FILLS, name="fills of pairs", kinds=("pair",), aims=())
UNSURE = (_FILLS, _PAIRS)
