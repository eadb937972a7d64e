"""Handles many things one after another, so that one failure blocks no other."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Apart:
    """What failed. It is raised after all have had their turn."""

    failures: list[Exception] = field(default_factory=list)

    @contextmanager
    def each(self, name: str) -> Iterator[None]:
        """Handles one of them."""
        try:
            yield
        except Exception as failure:  # noqa: BLE001 raised again once all have had their turn
            _log.exception("%s failed", name)
            self.failures.append(failure)

    def end(self) -> None:
        """Raises the first failure, if there was one."""
        if self.failures:
            raise self.failures[0]
