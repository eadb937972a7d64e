"""One run in the hands of an outside worker, from its lease to what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from onthedot.adapters import runlog
from onthedot.client.shapes import Lease
from onthedot.core.context import Context

# A lease is extended when a third of it has passed.
BEATS = 3
_ABANDON_SEC = 5


@dataclass(slots=True, eq=False)
class Fetched:
    """What is known of the run; the handler asks it through its context."""

    lease: Lease
    lease_sec: int
    # By this machine's clock, from before the request: never later than the API's own.
    leased_until: float
    cancel: bool = False
    lost: bool = False
    abandoned: bool = False
    progress: Any = None

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.lease["run"]["run_id"]

    @property
    def attempt(self) -> int:
        """The fence of all that is said of it."""
        return self.lease["attempt"]

    @property
    def deadline(self) -> float:
        """Until when the attempt may work."""
        return _moment(self.lease["deadline"]).timestamp()

    def beat_is_due(self) -> bool:
        """Tell whether the lease wants extending."""
        return time.time() > self.leased_until - self.lease_sec * (BEATS - 1) / BEATS

    def has_hung(self) -> bool:
        """Tell whether the handler did not see that its time was over."""
        return time.time() > self.deadline + _ABANDON_SEC

    def extended(self, since: float, *, cancel: bool) -> None:
        """Note what a heartbeat was answered."""
        self.leased_until = since + self.lease_sec
        self.cancel = cancel

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def cancel_requested(self) -> bool:
        return self.cancel

    def lease_lost(self) -> bool:
        return self.lost or time.time() >= self.leased_until

    def report(self, progress: object) -> None:
        self.progress = progress

    def once(self, step: str, effect: Callable[[], Any]) -> NoReturn:  # noqa: ARG002 the protocol's
        """The record is in the runs table, which no outside worker reaches."""
        raise RuntimeError(
            f"once('{step}') is for handlers in the cloud: here, give the effect "
            "ctx.idempotency_key(…), which is the same in every attempt."
        )

    def previous_success(self) -> datetime | None:
        previous = self.lease["run"].get("previous_success")
        return _moment(previous) if isinstance(previous, str) else None

    def context(self) -> Context:
        """Tell a handler of its run."""
        run = self.lease["run"]
        slot = run.get("scheduled_for")
        names = {"task_id": run["task_id"], "run_id": self.run_id, "attempt": self.attempt}
        return Context(
            run_id=self.run_id,
            task_id=run["task_id"],
            tenant_id=str(run.get("tenant_id", "")),
            name=run.get("name") or "",
            origin=run["origin"],
            attempt=self.attempt,
            max_attempts=run["max_attempts"],
            scheduled_for=_moment(slot) if slot else None,
            due_at=_moment(run["due_at"]),
            deadline=_moment(self.lease["deadline"]),
            payload=run.get("payload"),
            checkpoint=self.lease.get("checkpoint"),
            log=runlog.of(names),
            hands=self,
        )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
