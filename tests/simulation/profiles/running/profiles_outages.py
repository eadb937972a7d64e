"""Profiles in which a part of a store refuses for longer than one call."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import Scene
from tests.simulation.stage import Course

_KINDS = ("minute", "twenty", "skip", "queue", "two")
# From shortly after the second at which most runs are due.
_FROM_SEC = 120.4


def _during(name: str, *outages: Outage) -> Scene:
    """Runs of some seconds while it lasts."""
    faults = Profile(outages=outages)
    return Scene(
        name=name, kinds=_KINDS, drawn=4, faults=faults, takes_sec=3, course=Course(sec=1_200)
    )


_RUNS = Outage(from_sec=_FROM_SEC, for_sec=10, table="runs")
OUTAGES = (
    _during("throttled", _RUNS),
    _during("throttled before", replace(_RUNS, from_sec=119.7)),
    _during("throttled long", replace(_RUNS, for_sec=11, from_sec=124.0)),
    _during("throttled shortly", replace(_RUNS, for_sec=1)),
    _during("throttled briefly", replace(_RUNS, for_sec=3, from_sec=119.2)),
    # Nobody asks a gate, whose refusal would hold up the whole batch.
    replace(
        _during("throttled free", replace(_RUNS, for_sec=3, from_sec=119.2)),
        kinds=("minute", "twenty", "jitter"),
        drawn=3,
    ),
    # Some of the runs that are due then are to be skipped.
    replace(
        _during("throttled skips", replace(_RUNS, for_sec=3, from_sec=119.2)),
        kinds=("minute", "twenty", "jitter"),
        drawn=3,
        calls=("pause", "other", "delete"),
        calls_max=3,
        calls_between=(62, 117),
    ),
    _during(
        "throttled wholly",
        replace(_RUNS, table="", reads=True, for_sec=2.5, from_sec=119.6),
    ),
    _during("throttled partly", replace(_RUNS, for_sec=20, share=0.5)),
    _during("throttled reads", replace(_RUNS, table="", reads=True, writes=False)),
    _during("throttled all", replace(_RUNS, table="", reads=True)),
    _during("hot partition", replace(_RUNS, partition="TWENTY")),
    # Longer than one try to give a permit back may take.
    replace(
        _during("busy permits", replace(_RUNS, for_sec=25, partition="permit#acme")), running_max=3
    ),
    # An index that takes half of the advances for a while, and one that takes none.
    replace(
        _during("cold index", Outage(from_sec=59, for_sec=8, table="tasks", index="due")),
        frugal=True,
    ),
    replace(
        _during(
            "lukewarm index",
            Outage(from_sec=59, for_sec=15, table="tasks", index="due", share=0.5),
        ),
        frugal=True,
    ),
    _during("deaf queue", Outage(from_sec=_FROM_SEC, for_sec=10, queue="normal")),
)
