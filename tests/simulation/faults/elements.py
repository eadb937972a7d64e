"""What befalls processes, clocks and rows at any moment, and not only at a call."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.simulation.faults.expiry import Expiry
from tests.simulation.machine.process import Process

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

_SEC_US = 1_000_000
_MS_US = 1_000


def let_loose(world: World, until_sec: float) -> None:
    """Arranges the freezes, the clocks' steps and the deletions that the profile asks for."""
    profile = world.profile
    random = Random(f"elements {world.seed}")
    until = min(until_sec, profile.faults_until_sec)
    for _ in range(profile.freezes):
        at_sec, sec = random.uniform(0, until), random.uniform(*profile.freeze_sec)
        world.call_at(at_sec, lambda sec=sec: _freeze(world, random, sec))  # type: ignore[misc]
    for _ in range(profile.clock_steps):
        world.call_at(random.uniform(0, until), lambda: _step(world, random))
    if profile.expires:
        world.expiry = Expiry(world, random, until_sec)


def _freeze(world: World, random: Random, sec: float) -> None:
    """Stops a process as a whole, with its handlers, wherever each of them stands."""
    whole = _drawn(world, random)
    if whole is not None:
        world.freeze(whole, sec)
    elif world.now_us < world.profile.faults_until_sec * _SEC_US:
        later_sec = world.now_us / _SEC_US + random.uniform(0.1, 3)
        world.call_at(later_sec, lambda: _freeze(world, random, sec))


def _step(world: World, random: Random) -> None:
    """Sets the clock of a machine, within what a clock may be off."""
    whole = _drawn(world, random)
    if whole is None:
        return
    most = world.profile.skew_ms
    skew_us = random.randint(-most, most) * _MS_US
    world.note("clock set", f"{whole.name} is off by {skew_us // _MS_US} ms")
    for part in (whole, *whole.parts):
        part.set_clock(skew_us, world.now_us)


def _drawn(world: World, random: Random) -> Process | None:
    """Returns one of those that are under way, as a whole."""
    living = [
        process
        for process in world.processes
        if process.greenlet and not process.done and "/" not in process.name
    ]
    return random.choice(living) if living else None
