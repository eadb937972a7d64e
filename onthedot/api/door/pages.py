"""Serves lists in pages: how a list is asked for, and where its next page begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import installation_secret, responses
from onthedot.api.door.request import Asked, asked
from onthedot.records.access import page_position, page_token
from onthedot.store import clock

Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(max_length=2_000)]
# Seconds. A dispatch lists what is due in 150 seconds for a check 60 seconds later.
_AHEAD_SEC = 240
# The parts of a request that may change from page to page.
_FREE = ("cursor", "limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One list: the known part of its items' keys, and the names of the rest.

    Its cursors are valid only for this tenant, this address and these parameters.
    """

    known: Mapping[str, Any]
    names: Sequence[str]
    # The kind of each part, if its name does not say it.
    kinds: Sequence[str] = ()
    # The last second of the list, if it is in the future.
    until: int | None = None

    def start(self, cursor: str | None) -> Mapping[str, Any] | None:
        """Returns the key after which the page begins."""
        if cursor is None:
            return None
        found = _read(cursor, asked())
        latest = clock.now_ms() // 1000 + _AHEAD_SEC if self.until is None else self.until
        if not page_position.fits(found, self.kinds or self.names, latest):
            raise page_token.mismatch()
        return {**self.known, **dict(zip(self.names, found, strict=True))}

    def answer(
        self, found: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None, **more: object
    ) -> Response[str]:
        """Answers with a page, and with what else there is to say about it."""
        following = None
        if last is not None:
            place = [last[name] for name in self.names]
            following = page_token.written(place, _bound(asked()), _secret())
        return responses.answer({"data": found, "next_cursor": following, **more})


def check(request: Asked) -> None:
    """Refuses a cursor that is not ours, before anything is read for it."""
    _read(request.query["cursor"], request)


def _read(cursor: str, request: Asked) -> Any:  # noqa: ANN401  # a list, if we wrote it
    return page_token.read(cursor, _bound(request), _secret())


def _bound(request: Asked) -> Mapping[str, Any]:
    asked_for = {name: value for name, value in request.query.items() if name not in _FREE}
    return {"tenant": request.by.tenant_id, "path": request.path, "asked": asked_for}


def _secret() -> bytes:
    return installation_secret.derived(page_token.PURPOSE)
