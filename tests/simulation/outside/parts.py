"""Handlers beside a worker's loop: what stands in the place of the runner's threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tests.simulation import auditor
from tests.simulation.machine.process import Crashed, Part
from tests.simulation.machine.world import World


class Running:
    """A handler under way, as the flows see a future."""

    def __init__(self, part: Part) -> None:
        self.part = part

    def done(self) -> bool:
        return self.part.done

    def result(self) -> Any:
        if self.part._process.dead:  # noqa: SLF001  # a crash in a handler is its worker's
            raise Crashed
        return self.part.result()


def leave_no_strays(world: World, patience_sec: float = 5.0) -> None:
    """Ends a process whose handlers do not return, as the runner does."""
    whole = world.running
    assert whole is not None
    if whole.dead:
        return
    end_us = world.now_us + int(patience_sec * 1_000_000)
    while world.now_us < end_us and not all(part.done for part in whole.parts):
        world.wait(min(100_000, end_us - world.now_us))
    if not all(part.done for part in whole.parts):
        end_process(world)


def end_process(world: World) -> None:
    """Ends the process with all that runs in it."""
    whole = world.running
    assert whole is not None
    world.note("exits", "a handler does not return")
    whole.dead = True
    raise Crashed


def submit(world: World, work: Callable[[], Any]) -> Running:
    """Begins work beside the running process."""
    part = world.submit(work)
    auditor.name_part(part._process, work)  # noqa: SLF001  # laws ask who did it
    return Running(part)


def wait(world: World, parts: Sequence[Running], seconds: float) -> None:
    """Waits until one of them ends, or so long."""
    waiter = world.running
    assert waiter is not None
    if waiter.dead:
        raise Crashed
    if any(part.done() for part in parts):
        return
    inner = [part.part._process for part in parts]  # noqa: SLF001  # waiting for any of several
    for process in inner:
        process.waiter = waiter
    world.push(world.now_us + int(max(0.0, seconds) * 1_000_000) + 1, waiter, waiter.turn)
    world.park(waiter)
    for process in inner:
        process.waiter = None


def in_parallel(world: World, call: Callable[[Any], Any], of: Iterable[Any]) -> list[Any]:
    """Makes calls as a pool of threads does: what one of them raises does not end the others."""
    items = list(of)
    if len(items) == 1 or world.running is None:
        return [call(item) for item in items]
    parts = [Running(world.submit(partial(call, item))) for item in items]
    for part in parts:
        while not part.done():
            wait(world, [part], 60)
        part.result()
    return [part.result() for part in parts]
