"""One change that changes nothing, by its text: lines move."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutation.changes import Change


class Equivalent(NamedTuple):
    """One of them, by its text: lines move."""

    module: str
    function: str
    source: str
    after: str
    reason: str

    def is_of(self, change: Change) -> bool:
        given = (change.module, change.at.function, change.source, change.after)
        return given == self[:4]
