"""Stands in the place of a boto client: the same methods, each call one effect of a process."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


class Client:
    """One for all processes: an effect is done by whichever process is running."""

    def __init__(self, world: World, backend: Any) -> None:
        self._world = world
        self._backend = backend
        self.exceptions = backend.exceptions

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        call = getattr(self._backend, operation)
        effect = self._world.effect

        def method(**request: Any) -> dict[str, Any]:
            answer: dict[str, Any] = effect(operation, call, request)
            return answer

        self.__dict__[operation] = method
        return method

    def _make_api_call(self, operation_name: str, request: dict[str, Any]) -> dict[str, Any]:
        """Returns the door pynamodb comes in by."""
        return getattr(self, _WORD_START.sub("_", operation_name).lower())(**request)  # type: ignore[no-any-return]  # typed above
