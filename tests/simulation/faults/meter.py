"""The simulated store, asked with each call what it consumed: only histories of cost pay for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.stores.dynamo import Dynamo


class Metered:
    """The same methods; each answer says how many units it took."""

    def __init__(self, store: Dynamo) -> None:
        self._store = store
        self.exceptions = store.exceptions

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        call = getattr(self._store, operation)

        def metered(**request: Any) -> dict[str, Any]:
            answer: dict[str, Any] = call(**request, ReturnConsumedCapacity="TOTAL")
            return answer

        return metered
