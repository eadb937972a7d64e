"""Two tasks, two dispatchers, a few slots: small enough to crash it everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from tests.simulation.exhaust import Plan, pairs, singles
from tests.simulation.faults import CALM, Aim, Fault
from tests.simulation.invariants import Measure, broken
from tests.simulation.stage import Course, Stage, make_stage, make_task, play
from tests.simulation.world import World

# The last tick is a quiet one; whatever hangs has come back by the end.
_COURSE = Course(sec=3_600, ticks_until=200, dispatchers=2, audited=False)
_FAULTS = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)


def small(aims: Plan) -> Stage:
    """A free task and one with a gate, three slots each, all within the first ticks."""
    stage = make_stage(1, CALM, aims)
    given = {"end_sec": 100, "overlap": "allow", "max_concurrent": None}
    stage.register(make_task("free", "*/40 * * * * *", stage.world, **given))
    stage.register(
        make_task("gated", "*/40 * * * * *", stage.world, overlap="queue", end_sec=100)
    )
    play(stage, _COURSE)
    return stage


def judged(plan: Plan) -> list[str]:
    """Name every law that it breaks; nothing but the audit is missing."""
    return broken(small(plan), Measure(until_sec=180, audited=False))


def _world(plan: tuple[Aim, ...]) -> World:
    return small(plan).world


def single_plans() -> list[Plan]:
    """A crash before and after each effect."""
    return list(singles(_world, _FAULTS))


def pair_plans() -> Iterator[Plan]:
    """For each of those, a second one at each effect that then follows."""
    return pairs(_world, _FAULTS)


def some_pairs(count: int, seed: int) -> Iterator[Plan]:
    """Draw first crashes, then for each of them one second crash."""
    random = Random(seed)
    firsts = single_plans()
    for _ in range(count):
        first = random.choice(firsts)
        effects = _world(first).effects()
        hit = next(
            place
            for place, one in enumerate(effects)
            if (one.process, one.operation, one.nth)
            == (first[0].process, first[0].operation, first[0].nth)
        )
        later = effects[hit + 1 :]
        if later:
            one = random.choice(later)
            fault = random.choice(_FAULTS)
            yield (*first, Aim(one.process, one.operation, one.nth, fault))


def first_pairs(count: int) -> list[Plan]:
    return list(islice(pair_plans(), count))
