"""Profiles of work that goes on outside: callbacks, executions, machines that fetch, handlers."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults import Aim, Fault, Profile
from tests.simulation.outages import Outage
from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=210, sec=1_200)
_CALLBACKS = ("callback", "callback queue", "callback previous", "posted")
_EXECUTIONS = ("execution", "execution queue", "execution previous", "begun")
_PULLED = ("pulled", "pulled queue", "pulled previous")
_HANDLED = ("handled", "handled queue")
# Some sound ticks follow.
_UNTIL_SEC = 130.0
_CRASHES = replace(
    quiet(crash_before=0.01, crash_after=0.015, lost=0.01, double_message=0.05),
    faults_until_sec=_UNTIL_SEC,
)
_ROUGH = replace(UNTIL_CALM, faults_max=16, faults_until_sec=_UNTIL_SEC)
_DEATHS = Profile(
    faults_until_sec=_UNTIL_SEC, faults_max=40, crash_before=0.06, crash_after=0.06, lost=0.02
)
_STALE = Profile(faults_until_sec=500, stale=0.6, stale_ms=(500, 15_000))
_LOST = Profile(faults_until_sec=200, purge=1.0)
_DIES_SENDING = tuple(
    Aim(f"said#{process}", "send_message_batch", 0, Fault.CRASH_BEFORE)
    for process in range(0, 200, 2)
)
_STALLS = Profile(
    faults_until_sec=_UNTIL_SEC,
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


def _each(name: str, kinds: tuple[str, ...], *, said: bool = False) -> tuple[Scene, ...]:
    """With nothing wrong, with processes that die, with everything at once.

    What is said in the second one goes through the API's own handlers.
    """
    return (
        _outside(name, kinds, Profile()),
        replace(_outside(f"{name} crashes", kinds, _CRASHES), by_handlers=said),
        _outside(f"{name} rough", kinds, _ROUGH),
    )


def _throttled(name: str, kinds: tuple[str, ...]) -> Scene:
    """While a table refuses."""
    return _outside(f"{name} throttled", kinds, Profile(outages=(_REFUSES,)))


OUTSIDE = (
    *_each("callbacks", _CALLBACKS, said=True),
    *_each("executions", _EXECUTIONS),
    *_each("pulled", _PULLED, said=True),
    *_each("handled", _HANDLED),
    _throttled("callbacks", _CALLBACKS),
    _throttled("pulled", _PULLED),
    # Runs are handed over to machines and back while they are claimed, tried again, at work.
    replace(
        _outside("handed over", ("pulled", "pulled queue"), _CRASHES),
        calls=("to ours", "to workers", "to ours", "trigger"),
        calls_max=5,
    ),
    # The index shows runs where they were a while ago.
    _outside("pulled stale", _PULLED[:1], _STALE),
    # Machines ask for more time beside what they say, or a moment later.
    replace(_outside("pulled lagging", _PULLED, _CRASHES), lagging=True),
    # Who takes a target's word dies over it.
    replace(
        _outside("callbacks deaths", _CALLBACKS[:3], Profile(slow=0.02)),
        drawn=2,
        aims=_DIES_SENDING,
    ),
    # The messages that are to look at what is awaited are lost.
    replace(
        _outside("awaited lost", ("callback", "execution", "execution queue"), _LOST),
        drawn=2,
        course=Course(ticks_until=210, sec=2_100),
    ),
    # One worker after another dies over an execution, some before they have looked for it.
    _outside("executions deaths", ("execution", "execution queue"), _DEATHS),
    # Workers stand still in the middle of a step, and others take their runs over.
    _outside("handled stalls", _HANDLED, _STALLS),
    # Runs of all of them share the tenant's permits, which are held as long as what they wait for.
    replace(
        _outside("outside quotas", ("callback", "execution", "handled"), _CRASHES),
        drawn=2,
        running_max=3,
    ),
)
