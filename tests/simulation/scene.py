"""One profile: the tasks that a history draws from, what goes wrong, what users do meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tests.simulation.faults.faults import CALM, ROUGH, Aim, Profile
from tests.simulation.machine.world import START
from tests.simulation.sizes import REAL, Sizes
from tests.simulation.stage import Course

FAULTS_UNTIL_SEC = 200.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One profile."""

    name: str
    faults: Profile = CALM
    kinds: tuple[str, ...] = ("minute", "twenty", "skip", "queue", "once", "three", "jitter")
    drawn: int = 2
    course: Course = field(default_factory=Course)
    # Calls of the API, at any moment.
    calls: tuple[str, ...] = ()
    calls_max: int = 3
    # What users do through the API's own handlers, and how many things at most.
    users: tuple[str, ...] = ()
    users_max: int = 0
    # How often a handler fails, how long it takes at most, how often it kills its worker.
    failing: float = 0.0
    # A handler that fails raises an error.
    raising: bool = False
    takes_sec: float = 0.0
    killing: float = 0.0
    # How often one looks neither at its deadline nor at a cancel.
    deaf: float = 0.0
    # How often a failure gives the run back, and the waits that one asks for.
    yielding: float = 0.0
    waits: tuple[int | None, ...] = (None, 1, 20)
    poison: bool = False
    # Targets are called as in production; who is outside calls the API.
    outside: bool = False
    # Those who are outside ask the API's own handlers, not the flows behind them.
    by_handlers: bool = False
    # How many machines fetch, and how long the API waits for a run on their behalf at most.
    machines: int = 2
    waits_sec: int = 0
    # How many of a tenant's requests may wait at once; zero is as in production.
    polls_max: int = 0
    # Machines ask for more time once more when they have said what came of it.
    lagging: bool = False
    # Payloads lie in a bucket, which somebody tidies, or deletes from.
    laden: bool = False
    # When they are switched off for good, where the audit looks after what they had; zero is never.
    off_sec: float = 0.0
    # Strangers write into the queues.
    forged: bool = False
    # Runs and lists from days ago.
    elders: bool = False
    # When it begins, and how large pages, batches and the like are.
    start: datetime = START
    sizes: Sizes = REAL
    # So many tasks more, each with one run, and all of those due at the same second.
    crowd: int = 0
    # Faults that must happen, and when the calls do.
    aims: tuple[Aim, ...] = ()
    calls_between: tuple[float, float] = (5, 280)
    # What the laws may ask for besides.
    smooth: bool = False
    resumed: bool = False
    timely: bool = False
    unspent: bool = False
    # Each minute notes what fires no more.
    notes: bool = False
    frugal: bool = False
    # Nothing goes wrong and nobody waits: its runs cost what the formula says.
    costed: bool = False
    # The tenant's quota of runs under way; zero is none.
    running_max: int = 0
    # What the tenant may call; none is whatever it likes.
    targets: tuple[str, ...] = ()


def quiet(**chances: Any) -> Profile:
    return Profile(faults_until_sec=FAULTS_UNTIL_SEC, faults_max=12, **chances)


# Everything at once for a while, and then its end.
UNTIL_CALM = replace(ROUGH, faults_until_sec=FAULTS_UNTIL_SEC)
SLOW = replace(UNTIL_CALM, crash_before=0.005, crash_after=0.005)


def has_twin(scene: Scene) -> bool:
    """Tells whether the same without the audit says more: not where only the audit is to be
    judged.
    """
    return not scene.faults.purge and not scene.course.auditor.alone


def bare(scene: Scene) -> Scene:
    """Returns the same without the audit, which would hide faults; it may take
    long to calm down.
    """
    course = replace(scene.course, audited=False, sec=scene.course.sec + 2_500)
    return replace(scene, name=f"{scene.name} bare", course=course)
