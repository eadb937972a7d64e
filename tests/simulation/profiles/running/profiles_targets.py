"""Profiles of tasks that call SQS, SNS, Lambda and EventBridge, as the user has them."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.profiles.running.kinds_targets import ALLOWED
from tests.simulation.profiles.running.profiles_cancels import CANCELS
from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.stage import Course

_COURSE = Course(ticks_until=270, sec=1_200)
# Some sound ticks follow.
_UNTIL_SEC = 190.0
_CRASHES = replace(
    quiet(
        crash_before=0.01,
        crash_after=0.02,
        lost=0.03,
        refused=0.02,
        throttled=0.02,
        double_message=0.05,
    ),
    faults_until_sec=_UNTIL_SEC,
)
_ROUGH = replace(UNTIL_CALM, faults_max=20, faults_until_sec=_UNTIL_SEC)
_STALLS = Profile(
    faults_until_sec=_UNTIL_SEC,
    faults_max=16,
    stall_before=0.05,
    stall_after=0.05,
    stall_sec=(18.0, 45.0),
    skew_ms=2_000,
)
_QUEUES = ("sent", "sent grouped", "sent fifo", "sent fifo grouped")
_TOPICS = ("told", "told fifo")
_FUNCTIONS = ("invoked", "invoked queue", "invoked previous", "invoked async")
_BUSES = ("put", "put named")
_DOOMED = ("ours", "ours escaped", "beyond", "beyond queue", "unfit", "sent")
_REFUSES = Outage(from_sec=110, for_sec=12, table="runs")


def _called(name: str, kinds: tuple[str, ...], faults: Profile) -> Scene:
    return Scene(
        name=name,
        kinds=kinds,
        drawn=2,
        faults=faults,
        course=_COURSE,
        calls=("cancel", "trigger", "cancel", "replay"),
        calls_max=4,
        outside=True,
    )


def _each(name: str, kinds: tuple[str, ...]) -> tuple[Scene, ...]:
    """Returns its profiles: with nothing wrong, with processes that die and answers that are
    lost, with everything.
    """
    return (
        _called(name, kinds, Profile()),
        _called(f"{name} crashes", kinds, _CRASHES),
        _called(f"{name} rough", kinds, _ROUGH),
    )


def _laden(name: str, faults: Profile) -> Scene:
    """Where payloads are large, whatever is called with them."""
    return replace(
        _called(name, ("sent", "invoked", "posted", "pulled", "twenty"), faults),
        calls=("load", "trigger laden", "load", "payload", "cancel"),
        calls_max=7,
        laden=True,
    )


_LADEN = {"laden": Profile(), "laden crashes": _CRASHES, "laden rough": _ROUGH}
SERVICES = (
    *_each("queues", _QUEUES),
    *_each("topics", _TOPICS),
    *_each("functions", _FUNCTIONS),
    *_each("buses", _BUSES),
    # Workers stand still over a call, and others take their runs over.
    _called("services stalls", (*_QUEUES, *_FUNCTIONS), _STALLS),
    # While a table refuses what came of the calls.
    _called("services throttled", (*_QUEUES, *_FUNCTIONS, *_BUSES), Profile(outages=(_REFUSES,))),
    # Payloads that lie in a bucket, are edited, and are gone.
    *(_laden(name, faults) for name, faults in _LADEN.items()),
    *CANCELS,
    # What may not be called, or cannot, beside what may.
    replace(_called("doomed", _DOOMED, _CRASHES), drawn=5, targets=ALLOWED),
)
