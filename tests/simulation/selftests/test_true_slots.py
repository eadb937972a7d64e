"""The brute force of the laws gives the engine's own slots, for every kind of task."""

from __future__ import annotations

from itertools import takewhile

import pytest

from onthedot.schedule.blackouts import blackout, closing
from tests.simulation.laws.timing import true_slots
from tests.simulation.machine.world import World
from tests.simulation.mutants.planted_faults import Mutant, killed_by
from tests.simulation.mutants.upkeep import mutants_slots
from tests.simulation.profiles.running.kinds import KINDS
from tests.simulation.stage import make_task

_FAULTS = (
    Mutant(
        "slots passed over",
        "the laws count seconds by themselves",
        mutants_slots.passed_over,
        ("calm",),
    ),
    Mutant(
        "open too early",
        "the laws read calendars by themselves",
        mutants_slots.open_too_early,
        ("calendars",),
    ),
)


@pytest.mark.parametrize("kind", KINDS)
def test_slots_by_brute_force_are_those_of_the_engine(kind: str) -> None:
    text, given = KINDS[kind]
    with World(1) as world:
        task = make_task(kind, text, world, **given)
    begin = int(world.start.timestamp()) - 90
    end = begin + 2 * 3_600
    expected = list(takewhile(lambda slot: slot < end, task.schedule.slots(begin)))

    assert list(true_slots.slots(task, begin, end)) == expected
    for slot in expected:
        assert true_slots.is_slot(task, slot)
        assert true_slots.is_slot(task, slot + 1) == (slot + 1 in expected)
        assert true_slots.due_at(task, slot) == task.schedule.due_at(slot)
        assert true_slots.closing(task, slot) == closing(task.closed, slot)


def test_a_calendar_of_days_is_closed_on_each_of_them_in_its_zone() -> None:
    days = blackout("feast", timezone="Asia/Tokyo", dates=["2026-11-18/2026-11-19"])
    with World(1) as world:
        task = make_task("feast", "0 * * * *", world, blackouts=(days,))
    noon = int(world.start.timestamp()) // 86_400 * 86_400

    for hour in range(-24, 48):
        at = noon + hour * 3_600
        assert true_slots.closing(task, at) == closing(task.closed, at)


@pytest.mark.parametrize("mutant", _FAULTS, ids=lambda mutant: mutant.name)
def test_a_fault_of_the_engine_breaks_a_law(mutant: Mutant) -> None:
    assert next(killed_by(mutant), None), f"{mutant.name} survives: {mutant.rule}"
