"""Profiles of work that goes on outside: callbacks, executions, machines that fetch, handlers."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults import Profile
from tests.simulation.outages import Outage
from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=270, sec=1_500)
_CALLBACKS = ("callback", "callback queue", "callback previous", "posted")
_EXECUTIONS = ("execution", "execution queue", "execution previous", "begun")
_PULLED = ("pulled", "pulled queue", "pulled previous")
_HANDLED = ("handled", "handled queue")
_CRASHES = quiet(crash_before=0.01, crash_after=0.015, lost=0.01, double_message=0.05)
_ROUGH = replace(UNTIL_CALM, faults_max=16)
_STALLS = Profile(
    faults_until_sec=200,
    faults_max=16,
    stall_before=0.05,
    stall_after=0.05,
    stall_sec=(18.0, 45.0),
    skew_ms=2_000,
)
_REFUSES = Outage(from_sec=110, for_sec=12, table="runs")


def _outside(name: str, kinds: tuple[str, ...], faults: Profile) -> Scene:
    return Scene(
        name=name,
        kinds=kinds,
        drawn=1,
        faults=faults,
        course=_COURSE,
        calls=("cancel", "trigger", "cancel", "replay"),
        calls_max=4,
        outside=True,
    )


def _each(name: str, kinds: tuple[str, ...]) -> tuple[Scene, ...]:
    """With nothing wrong, with processes that die, with everything, and while a table refuses."""
    return (
        _outside(name, kinds, Profile()),
        _outside(f"{name} crashes", kinds, _CRASHES),
        _outside(f"{name} rough", kinds, _ROUGH),
        _outside(f"{name} throttled", kinds, Profile(outages=(_REFUSES,))),
    )


OUTSIDE = (
    *_each("callbacks", _CALLBACKS),
    *_each("executions", _EXECUTIONS),
    *_each("pulled", _PULLED),
    *_each("handled", _HANDLED),
    # Workers stand still in the middle of a step, and others take their runs over.
    _outside("handled stalls", _HANDLED, _STALLS),
    # Runs of all of them share the tenant's permits, which are held as long as what they wait for.
    replace(
        _outside("outside quotas", ("callback", "execution", "handled"), _CRASHES),
        drawn=2,
        running_max=3,
        course=replace(_COURSE, ticks_until=150),
    ),
)
