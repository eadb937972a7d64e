"""Waits for the answer of a call that may be broken off: what stands for sockets that are shut."""

from __future__ import annotations

from onthedot.store import clock
from onthedot.store.aws import Exchange
from tests.simulation.machine.world import World


def waited(world: World, exchange: Exchange | None, seconds: float) -> None:
    """Waits for so long, or until nobody waits for the answer any more, which is raised."""
    waiter, exchange = world.running, exchange or Exchange()
    assert waiter is not None
    with exchange.woken_by(lambda: world.push(world.now_us, waiter, waiter.turn)):
        clock.sleep(seconds)
    exchange.go_on()
