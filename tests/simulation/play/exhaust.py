"""Histories with a crash at each effect, one by one and in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.simulation.faults.faults import Aim, Fault, applies
from tests.simulation.machine.world import World

Play = Callable[[tuple[Aim, ...]], World]
Plan = tuple[Aim, ...]
CRASHES = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)


def singles(play: Play, faults: Iterable[Fault] = CRASHES) -> Iterator[Plan]:
    """Yields a plan for each effect of the undisturbed history and each fault."""
    yield from _extended(play(()), (), tuple(faults))


def pairs(play: Play, faults: Iterable[Fault] = CRASHES) -> Iterator[Plan]:
    """Yields for each single plan, a second fault at each effect that comes after the first
    one's.
    """
    chosen = tuple(faults)
    for plan in singles(play, chosen):
        yield from _extended(play(plan), plan, chosen)


def _extended(world: World, plan: Plan, faults: tuple[Fault, ...]) -> Iterator[Plan]:
    after = max((_place(world, aim) for aim in plan), default=-1)
    for effect in world.effects():
        if effect.place > after:
            for fault in (one for one in faults if applies(one, effect.operation)):
                yield (*plan, Aim(effect.process, effect.operation, effect.nth, fault))


def _place(world: World, aim: Aim) -> int:
    for effect in world.effects():
        if (effect.process, effect.operation, effect.nth) == (aim.process, aim.operation, aim.nth):
            return effect.place
    raise AssertionError(f"{aim} hit nothing")
