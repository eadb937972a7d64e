"""What a handler is told of its run, and what it may ask while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from inspect import iscoroutinefunction
from typing import Any, Protocol, TypeVar

from onthedot.records.small_json import checked
from onthedot.targets.python.signals import Cancelled, LeaseLost, TimedOut

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """`ctx.log.info("building", region="eu")`: lines that carry the run's id by themselves."""

    info: Callable[..., None]
    warning: Callable[..., None]
    error: Callable[..., None]


class Hands(Protocol):
    """What a worker does for the handlers it runs."""

    def now_ms(self) -> int:
        """Read the clock by which deadlines count."""

    def cancel_requested(self) -> bool:
        """Tell whether somebody asked the run to stop."""

    def lease_lost(self) -> bool:
        """Tell whether the run may be another worker's by now."""

    def report(self, progress: Any) -> None:
        """Keep what is to be shown of the run while it works."""

    def once(self, step: str, effect: Callable[[], Any]) -> Any:
        """Give a step's recorded value, or let the effect make it and record it."""

    def previous_success(self) -> datetime | None:
        """Look the last success before this run up."""


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
    # The slot it stands for, never the time it happens to run: None for a manual run.
    scheduled_for: datetime | None
    due_at: datetime
    deadline: datetime
    payload: Any
    # What the attempt before left with RetryLater.
    checkpoint: Any
    log: Log
    hands: Hands = field(repr=False)

    @property
    def cancelled(self) -> bool:
        """Tell whether to stop: asked to, out of time, or no longer the one who runs it."""
        return (
            self.hands.cancel_requested()
            or self.hands.now_ms() >= _ms(self.deadline)
            or self.hands.lease_lost()
        )

    @property
    def previous_success(self) -> datetime | None:
        """When the task last succeeded before this run: its slot, or the time of a manual one."""
        return self.hands.previous_success()

    def remaining(self) -> float:
        """Count the seconds until the deadline."""
        return max(0.0, (_ms(self.deadline) - self.hands.now_ms()) / 1000)

    def heartbeat(self, progress: Any = None) -> None:
        """Show progress, and leave by an exception when the run is to stop.

        The lease is extended beside the handler; nothing depends on how often this is called.
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
        """Give the value of an effect that this run has had; have it only if there is none.

        Every attempt of the run finds it. Between the effect and its record a crash may still
        fall, so an effect that takes an idempotency key should be given `idempotency_key(key)`.
        """
        if iscoroutinefunction(effect):
            raise TypeError(
                f"once('{key}') was given a coroutine function: expected a plain one, in an "
                "asynchronous handler by `await asyncio.to_thread(ctx.once, key, effect)`"
            )
        kept: T = self.hands.once(key, effect)
        return kept

    def idempotency_key(self, key: str) -> str:
        """Name a step of this run alike in every attempt."""
        return f"{self.run_id}#{key}"


def instant(ms: int) -> datetime:
    """Give milliseconds as an aware UTC time."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
