"""Lists by pages: how a list is asked for, and where its next page begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api import answers
from onthedot.api.asking import asked, tenant
from onthedot.core import cursor as cursors

Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(max_length=2_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One list: the part of its items' keys that is known, and the names of the rest.

    Its cursors are good for this tenant, this address and these filters only.
    """

    known: Mapping[str, Any]
    names: Sequence[str]
    filters: Mapping[str, Any] = field(default_factory=dict)

    def start(self, cursor: str | None) -> Mapping[str, Any] | None:
        """Give the key after which the page begins."""
        if cursor is None:
            return None
        found = cursors.read(cursor, self._bound())
        return {**self.known, **dict(zip(self.names, found, strict=True))}

    def answer(
        self, found: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None, **more: object
    ) -> Response[str]:
        """Answer with a page, and with what else is to be said of it."""
        following = None
        if last is not None:
            following = cursors.written([last[name] for name in self.names], self._bound())
        return answers.answer({"data": found, "next_cursor": following, **more})

    def _bound(self) -> Mapping[str, Any]:
        return {"tenant": tenant(), "path": asked().path, "filters": dict(self.filters)}
