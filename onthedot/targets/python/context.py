"""Tells a handler about its run, and lets it ask while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from inspect import iscoroutinefunction
from typing import Any, Protocol, TypeVar

from onthedot.records.attributes import checked
from onthedot.targets.python.signals import Cancelled, LeaseLost, TimedOut

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """`ctx.log.info("building", region="eu")` writes a line that carries the run's id."""

    info: Callable[..., None]
    warning: Callable[..., None]
    error: Callable[..., None]


class Hands(Protocol):
    """What a worker does for the handlers it runs."""

    def now_ms(self) -> int:
        """Reads the clock that deadlines use."""

    def cancel_requested(self) -> bool:
        """Tells whether somebody asked the run to stop."""

    def lease_lost(self) -> bool:
        """Tells whether another worker may have the run by now."""

    def report(self, progress: Any) -> None:
        """Keeps the progress that users see while the run works."""

    def once(self, step: str, effect: Callable[[], Any]) -> Any:
        """Returns a step's recorded value, or has the effect make it and records it."""

    def previous_success(self) -> datetime | None:
        """Returns when the task last succeeded before this run."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """One attempt of one run."""

    run_id: str
    task_id: str
    tenant_id: str
    name: str
    origin: str
    attempt: int
    max_attempts: int
    # The slot of the run, never the time at which it happens to run. None for a manual run.
    scheduled_for: datetime | None
    due_at: datetime
    deadline: datetime
    payload: Any
    # What the previous attempt left with RetryLater.
    checkpoint: Any
    log: Log
    hands: Hands = field(repr=False)

    @property
    def cancelled(self) -> bool:
        """Tells whether to stop: a cancel, a passed deadline, or a lost lease."""
        return (
            self.hands.cancel_requested()
            or self.hands.now_ms() >= _ms(self.deadline)
            or self.hands.lease_lost()
        )

    @property
    def previous_success(self) -> datetime | None:
        """Returns when the task last succeeded before this run: a slot, or a manual run's time."""
        return self.hands.previous_success()

    def remaining(self) -> float:
        """Returns the seconds until the deadline."""
        return max(0.0, (_ms(self.deadline) - self.hands.now_ms()) / 1000)

    def heartbeat(self, progress: Any = None) -> None:
        """Shows progress, and raises when the run must stop.

        The worker extends the lease by itself; it does not matter how often a handler calls this.
        """
        if self.hands.cancel_requested():
            raise Cancelled("somebody asked the run to stop")
        if self.hands.lease_lost():
            raise LeaseLost("the lease is over; another worker may have the run by now")
        if self.hands.now_ms() >= _ms(self.deadline):
            raise TimedOut("the attempt's time is over")
        if progress is not None:
            self.hands.report(checked(progress, "the progress"))

    def once(self, key: str, effect: Callable[[], T]) -> T:
        """Returns the value of a step. If no attempt has recorded one, it calls the effect first.

        Every attempt of the run finds the value. A crash can still fall between the effect and its
        record, so give `idempotency_key(key)` to an effect that accepts one.
        """
        if iscoroutinefunction(effect):
            raise TypeError(
                f"once('{key}') was given a coroutine function: expected a plain one, in an "
                "asynchronous handler by `await asyncio.to_thread(ctx.once, key, effect)`"
            )
        kept: T = self.hands.once(key, effect)
        return kept

    def idempotency_key(self, key: str) -> str:
        """Returns a key for a step of this run: the same in every attempt."""
        return f"{self.run_id}#{key}"


def instant(ms: int) -> datetime:
    """Returns milliseconds as an aware UTC time."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
