"""Two tasks, two dispatchers, a few slots: small enough to crash it everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.simulation.faults.faults import CALM, Aim, Fault
from tests.simulation.invariants import Measure, broken
from tests.simulation.machine.trace import Effect
from tests.simulation.machine.world import World
from tests.simulation.play.exhaust import Plan, singles
from tests.simulation.stage import Course, Stage, make_stage, make_task, play

# The last tick is a quiet one; whatever hangs has come back by the end.
_COURSE = Course(sec=3_600, ticks_until=200, dispatchers=2, audited=False)
_FAULTS = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)


def small(aims: Plan) -> Stage:
    """Returns a free task and one with a gate, three slots each, all within the first ticks."""
    stage = make_stage(1, CALM, aims)
    given = {"end_sec": 100, "overlap": "allow", "max_concurrent": None}
    stage.register(make_task("free", "*/40 * * * * *", stage.world, **given))
    stage.register(make_task("gated", "*/40 * * * * *", stage.world, overlap="queue", end_sec=100))
    play(stage, _COURSE)
    return stage


def judged(plan: Plan) -> list[str]:
    """Names every law that it breaks; nothing but the audit is missing."""
    return broken(small(plan), Measure(until_sec=180, audited=False))


def _world(plan: tuple[Aim, ...]) -> World:
    return small(plan).world


def single_plans() -> list[Plan]:
    """Returns a crash before and after each effect."""
    return list(singles(_world, _FAULTS))


def seconds_of(first: Plan) -> list[Plan]:
    """Gives every plan in which, after that crash, a second one follows."""
    effects = _world(first).effects()
    return [
        (*first, Aim(one.process, one.operation, one.nth, fault))
        for one in effects[_place(effects, first[0]) + 1 :]
        for fault in _FAULTS
    ]


def _place(effects: list[Effect], aim: Aim) -> int:
    named = (aim.process, aim.operation, aim.nth)
    return next(
        place for place, one in enumerate(effects) if (one.process, one.operation, one.nth) == named
    )


def some_pairs(count: int, seed: int) -> Iterator[Plan]:
    """Draws first crashes, and for each of them a second one."""
    random = Random(seed)
    firsts = single_plans()
    for _ in range(count):
        if later := seconds_of(random.choice(firsts)):
            yield random.choice(later)
