"""Contexts for handlers under test: hands that keep in memory what a worker would store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from onthedot.targets.python import run_log
from onthedot.targets.python.context import Context, instant

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
NOON_MS = int(NOON.timestamp()) * 1000
RUN_ID = "sch_A.20261118T120000Z"


@dataclass(slots=True)
class Hands:
    """What a test may set, and what a handler has said."""

    at_ms: int = NOON_MS
    cancel: bool = False
    lost: bool = False
    reports: list[Any] = field(default_factory=list)
    steps: dict[str, Any] = field(default_factory=dict)
    last_success: datetime | None = None

    def now_ms(self) -> int:
        return self.at_ms

    def cancel_requested(self) -> bool:
        return self.cancel

    def lease_lost(self) -> bool:
        return self.lost

    def report(self, progress: object) -> None:
        self.reports.append(progress)

    def once(self, step: str, effect: Callable[[], Any]) -> Any:  # noqa: ANN401 any JSON
        if step not in self.steps:
            self.steps[step] = effect()
        return self.steps[step]

    def previous_success(self) -> datetime | None:
        return self.last_success


def context(hands: Hands | None = None, **given: Any) -> Context:  # noqa: ANN401 any field
    """Returns a context of the noon run; 300 seconds are its time."""
    fields: dict[str, Any] = {
        "run_id": RUN_ID,
        "task_id": "sch_A",
        "tenant_id": "acme",
        "name": "some",
        "origin": "schedule",
        "attempt": 1,
        "max_attempts": 3,
        "scheduled_for": NOON,
        "due_at": NOON,
        "deadline": instant(NOON_MS + 300_000),
        "payload": {},
        "checkpoint": None,
        "log": run_log.of({"run_id": RUN_ID}),
        "hands": hands or Hands(),
    }
    return Context(**fields | given)
