"""Environments of the API's function: what one keeps between requests, no other one knows."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, MutableMapping, MutableSequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from onthedot.api import app
from onthedot.api.door import authentication, installation_secret
from onthedot.api.schedules import rules
from onthedot.api.views import agenda_source
from onthedot.store import ids
from onthedot.upkeep import read_pulse
from tests.simulation.machine.world import World

_here: ContextVar[Environment] = ContextVar("environment")


@dataclass(slots=True, eq=False)
class Environment:
    """One Lambda environment: a clock that is off by so much, and what its modules keep."""

    skew_us: int | None = None
    kept: dict[str, Any] = field(default_factory=dict)

    def enter(self) -> None:
        """Lets the running process be this one."""
        _here.set(self)


class _Kept(MutableMapping[Any, Any]):
    """Stands in the place of a module's dictionary: that of the environment that looks."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def _mine(self) -> dict[Any, Any]:
        mine: dict[Any, Any] = _here.get().kept.setdefault(self._name, {})
        return mine

    def __getitem__(self, key: Any) -> Any:
        return self._mine[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._mine[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._mine[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._mine)

    def __len__(self) -> int:
        return len(self._mine)


class _KeptList(MutableSequence[Any]):
    """The same for a module's list."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def _mine(self) -> list[Any]:
        mine: list[Any] = _here.get().kept.setdefault(self._name, [])
        return mine

    def __getitem__(self, place: Any) -> Any:
        return self._mine[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        self._mine[place] = value

    def __delitem__(self, place: Any) -> None:
        del self._mine[place]

    def __len__(self) -> int:
        return len(self._mine)

    def insert(self, place: int, value: Any) -> None:
        self._mine.insert(place, value)


def _once(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that each environment calls once, as a cached one is called once a
    process.
    """

    def kept(*given: Any) -> Any:
        mine = _here.get().kept.setdefault(name, {})
        if given not in mine:
            mine[given] = make(*given)
        return mine[given]

    return kept


def _uncached(function: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = function.__wrapped__
    return found


class _Log:
    """What the API logs of a failure goes into the story."""

    def __init__(self, world: World) -> None:
        self._world = world

    def exception(self, message: str, *given: object) -> None:
        self._world.note("logs", f"{message % given}: {sys.exc_info()[1]!r}")


def _resolver(original: Callable[[], Any]) -> Callable[[], Any]:
    """Powertools keeps the request under way in its resolver: each environment has its own."""

    def make() -> Any:
        mine = copy.copy(original())
        mine.context, mine.processed_stack_frames = {}, []
        return mine

    return make


def stand_ins(world: World) -> list[tuple[Any, str, Any]]:
    """Names everything that a process of the API remembers, with what stands in its place."""
    return [
        (agenda_source, "_known", _Kept("agenda")),
        (authentication, "_known", _Kept("keys")),
        (authentication, "_unknown", _Kept("no keys")),
        (authentication, "purses", _Kept("purses")),
        (rules, "_known", _Kept("targets")),
        (read_pulse, "_remembered", _KeptList("pulse")),
        (installation_secret, "secret", _once("secret", _uncached(installation_secret.secret))),
        (installation_secret, "derived", _once("derived", _uncached(installation_secret.derived))),
        (app, "resolver", _once("resolver", _resolver(app.resolver))),
        (ids, "secret", lambda: world.random.randbytes(32)),
        (app, "_log", _Log(world)),
    ]
