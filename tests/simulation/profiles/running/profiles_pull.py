"""Profiles of work that goes on outside: callbacks, executions, machines that fetch, handlers."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=210, sec=1_200)
_CALLBACKS = ("callback", "callback queue", "callback previous", "posted")
_EXECUTIONS = ("execution", "execution queue", "execution previous", "begun")
_PULLED = ("pulled", "pulled queue", "pulled previous")
_HANDLED = ("handled", "handled queue")
# Tasks that go from our workers to outside ones, or back, while their runs wait.
_MOVED = ("handled", "handled queue", "handled previous", "pulled", "pulled queue")
_LIMITED = ("handled key", "pulled key", "handled queue", "pulled")
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


def _moved(name: str, kinds: tuple[str, ...], faults: Profile) -> Scene:
    """While tasks are moved from workers to workers."""
    calls = ("outwards", "outwards", "inwards", "inwards", "trigger", "cancel")
    return replace(_outside(name, kinds, faults), drawn=2, calls=calls, calls_max=6)


def _throttled(name: str, kinds: tuple[str, ...]) -> Scene:
    """While a table refuses."""
    return _outside(f"{name} throttled", kinds, Profile(outages=(_REFUSES,)))


OUTSIDE = (
    *_each("callbacks", _CALLBACKS, said=True),
    *_each("executions", _EXECUTIONS),
    # Many runs are cancelled while they wait for their executions.
    replace(
        _outside("executions cancelled", _EXECUTIONS, Profile()), calls=("cancel",), calls_max=9
    ),
    *_each("pulled", _PULLED, said=True),
    *_each("handled", _HANDLED),
    _throttled("callbacks", _CALLBACKS),
    _throttled("pulled", _PULLED),
    # And machines that fetch share them, too.
    replace(_outside("pulled quotas", _PULLED, _CRASHES), running_max=2),
    # The API waits on behalf of machines, of one at a time.
    *(
        replace(each, by_handlers=True, machines=3, waits_sec=12, polls_max=1)
        for each in _each("waiting", _PULLED)
    ),
    # More of them wait than are looked at first.
    replace(
        _outside("pulled deep", ("pulled", "pulled queue"), Profile()),
        drawn=2,
        sizes=Sizes(looks_at=(2, 8, 480)),
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
    # What is fetched shares them, too.
    replace(_outside("pulled quotas", _PULLED, _CRASHES), drawn=2, running_max=2),
    _moved("moved", _MOVED, Profile()),
    _moved("moved crashes", _MOVED, _CRASHES),
    _moved("moved rough", _MOVED, _ROUGH),
    # The machines are switched off when their task is ours.
    replace(
        _outside("moved home", _PULLED, _CRASHES),
        calls=("inwards",),
        calls_max=2,
        calls_between=(20, 90),
        off_sec=130,
        course=replace(_COURSE, sec=1_500),
    ),
    # Their tasks are edited and deleted, by the very second, while others are at work on runs.
    replace(
        _outside(
            "outside edits", ("pulled", "pulled queue", *_CALLBACKS[:2], *_HANDLED), Profile()
        ),
        drawn=3,
        calls=("delete", "pause", "resume", "payload", "outwards", "inwards"),
        calls_max=6,
        calls_between=(5, 200),
    ),
    # SQS takes no message for a while.
    _outside(
        "callbacks unheard",
        _CALLBACKS,
        Profile(outages=tuple(Outage(from_sec=at, for_sec=8, queue="normal") for at in (65, 128))),
    ),
    # They wait for a key, for a permit, or behind one another.
    replace(_moved("moved limits", _LIMITED, Profile(slow=0.02)), drawn=3, running_max=2),
    replace(_moved("moved keys", _LIMITED, Profile(slow=0.02)), drawn=3),
)
