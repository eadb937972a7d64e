"""A simulated process: ordinary code in a greenlet, alive until it ends, crashes or is killed."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from greenlet import greenlet

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

_SEC_US = 1_000_000


class Crashed(BaseException):
    """The process is dead. `except Exception` does not stop it; its finally has no effects."""


class Process:
    def __init__(
        self,
        *,
        name: str,
        kind: str,
        work: Callable[[], Any],
        hub: greenlet,
        skew_us: int,
        on_end: Callable[[Process], None],
    ) -> None:
        self.name = name
        self.kind = kind
        self.skew_us = skew_us
        # From when on its clock was off by how much, where that was set.
        self.skews: list[tuple[int, int]] = [(0, skew_us)]
        self.work = work
        self.greenlet = greenlet(self._live, hub)
        self.greenlet.gr_context = copy_context()  # sees what the test has set, changes its own
        self.on_end = on_end
        self.turn = 0  # grows with every resumption: what was pushed for an earlier one is void
        self.dead = False
        self.done = False
        self.ended_us = 0  # since the start of the history
        self.frozen_us = 0  # until then it does nothing
        self.result: Any = None
        self.error: Exception | None = None
        self.ended: Callable[[Process], None] | None = None
        self.waiter: Process | None = None
        self.parts: list[Process] = []
        self.counts: dict[str, int] = {}  # effects so far, by operation
        self.spins = 0  # sleeps of next to nothing

    def set_clock(self, skew_us: int, at_us: int) -> None:
        """Sets its clock, which is off by so much from then on."""
        self.skew_us = skew_us
        self.skews.append((at_us, skew_us))

    def skew_at(self, at_us: int) -> int:
        """Returns by how much its clock was off."""
        return next(skew for since, skew in reversed(self.skews) if since <= at_us)

    def _live(self) -> None:
        try:
            self.result = self.work()
        except Crashed:
            self.dead = True
        except Exception as error:  # noqa: BLE001  # how it ended, for the test to judge
            self.error = error
        self._over()

    def _over(self) -> None:
        self.done = True
        self.on_end(self)

    def kill(self) -> None:
        """Ends it from outside. Whatever its finally blocks try, no effect comes of it."""
        self.dead = True
        if self.greenlet:
            self.greenlet.throw(Crashed)
        elif not self.done:
            self._over()

    def __repr__(self) -> str:
        return self.name


class Part:
    """Work submitted by a process, which can wait for it a while and go on."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process

    @property
    def done(self) -> bool:
        return self._process.done

    def wait(self, seconds: float) -> bool:
        """Tells whether it ended within that time."""
        world, process = self._world, self._process
        waiter = world.running
        assert waiter is not None
        if waiter.dead:
            raise Crashed
        if not process.done:
            process.waiter = waiter
            world.push(world.now_us + int(seconds * _SEC_US), waiter, waiter.turn)
            world.park(waiter)
            process.waiter = None
        return process.done

    def result(self) -> Any:
        """Returns what it returned; what it raised is raised."""
        assert self._process.done
        if self._process.error is not None:
            raise self._process.error
        return self._process.result

    def kill(self) -> None:
        """Lets the world end it: a greenlet that ends another would never be resumed."""
        world, process = self._world, self._process
        if not process.done:
            process.dead = True
            world.push(world.now_us, lambda: world.kill(process, "by its whole"))
