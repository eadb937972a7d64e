"""What all scenarios play in at the same time: one stack, one receiver, a tenant for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.blackbox.receiver import Answer as Answering
from tests.blackbox.receiver import Hook, Receiver, Reply
from tests.blackbox.stack import Printed
from tests.blackbox.user import User, over

# As many play at the same time; most of them wait for a clock.
PLAYERS = 20
# What a tenant may call besides http and its queues: the handlers of the examples.
HANDLERS = ["python:*"]
# Tests by their names, ready to be played.
Scenarios = dict[str, Callable[[], Any]]


@dataclass(slots=True)
class World:
    """One for all scenarios; what they have apart is their tenant and their hooks."""

    stack: Printed
    receiver: Receiver
    played: dict[str, Future[None]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def operator(self) -> User:
        """Returns the admin whose key the stack printed."""
        return User(self.stack.url, self.stack.key, "default")

    @property
    def stranger(self) -> User:
        return User(self.stack.url, "", "")

    def tenant(self, **quota: object) -> User:
        """Returns the admin of a tenant that nobody else uses."""
        name = f"tenant-{next(self._numbers)}"
        operator = self.operator
        operator.said(200, "PUT", f"/v1/tenants/{name}", {"targets": HANDLERS, **quota})
        made = operator.said(201, "POST", f"/v1/tenants/{name}/keys", {"role": "admin"})
        return User(self.stack.url, made["key"], name, operator)

    def folder(self) -> Path:
        """Returns an empty folder, for programs that are started in one."""
        made = self.stack.folder.parent / f"folder-{next(self._numbers)}"
        made.mkdir()
        return made

    def hook(self, *replies: Reply, answer: Answering | None = None) -> Hook:
        return self.receiver.hook(*replies, answer=answer)


@contextmanager
def playing(world: World, together: Scenarios, alone: Scenarios) -> Iterator[None]:
    """Plays scenarios beside one another, in order as far as places are short; then the others."""

    def played_alone(play: Callable[[], Any], before: list[Future[None]]) -> None:
        wait(before)
        play()

    with ThreadPoolExecutor(PLAYERS, "scenario") as pool:
        world.played = {name: pool.submit(play) for name, play in together.items()}
        for name, play in alone.items():
            before = list(world.played.values())
            world.played[name] = pool.submit(played_alone, play, before)
        try:
            yield
        finally:
            over.set()
            pool.shutdown(cancel_futures=True)
