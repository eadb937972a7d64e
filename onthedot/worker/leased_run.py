"""Holds one run of an outside worker, from its lease to its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from onthedot.client.client import Client
from onthedot.client.errors import ApiError, Unavailable
from onthedot.records.runs import steps
from onthedot.records.shown_objects import Lease
from onthedot.targets.python import run_log
from onthedot.targets.python.context import Context
from onthedot.targets.python.signals import LeaseLost

# A lease is extended when a third of it has passed.
BEATS = 3
_ABANDON_SEC = 5
_PAUSE_SEC = 1.0
# The run is unknown, or belongs to another attempt.
_MOVED_ON = (404, 409)

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Fetched:
    """What is known of the run. The handler asks it through its context."""

    client: Client
    lease: Lease
    lease_sec: int
    # By this machine's clock, read before the request: never later than the API's own.
    leased_until: float
    # Seconds by which the API's clock is ahead of ours. The run's times are by the API's clock.
    ahead_sec: float
    cancel: bool = False
    lost: bool = False
    # A report on it is being sent: the handler has ended, or has hung.
    told: bool = False
    progress: Any = None

    @property
    def run_id(self) -> str:
        return self.lease["run"]["run_id"]

    @property
    def attempt(self) -> int:
        """Returns the attempt, which is the fence of all reports on it."""
        return self.lease["attempt"]

    @property
    def deadline(self) -> datetime:
        """Returns until when the attempt may work."""
        return _moment(self.lease["deadline"])

    def beat_is_due(self) -> bool:
        """Tells whether it is time to extend the lease."""
        return time.time() > self.leased_until - self.lease_sec * (BEATS - 1) / BEATS

    def has_hung(self) -> bool:
        """Tells whether the handler did not notice that its time was over."""
        return self.now_ms() > (self.deadline.timestamp() + _ABANDON_SEC) * 1000

    def extended(self, since: float, *, cancel: bool) -> None:
        """Records the answer to a heartbeat."""
        self.leased_until = since + self.lease_sec
        self.cancel = cancel

    def now_ms(self) -> int:
        return round((time.time() + self.ahead_sec) * 1000)

    def cancel_requested(self) -> bool:
        return self.cancel

    def lease_lost(self) -> bool:
        return self.lost or time.time() >= self.leased_until

    def report(self, progress: object) -> None:
        self.progress = progress

    def once(self, step: str, effect: Callable[[], Any]) -> Any:  # noqa: ANN401 any JSON
        leases, run_id, attempt = self.client.leases, self.run_id, self.attempt
        kept = self._ask(lambda: leases.recorded(run_id, attempt, step))
        if not kept["recorded"]:
            value = effect()
            # The API would refuse it as an error of this worker. It is the handler's.
            steps.written(step, value)
            kept = self._ask(lambda: leases.record(run_id, attempt, step, value))
        return kept["value"]

    def previous_success(self) -> datetime | None:
        found = self._ask(lambda: self.client.leases.previous_success(self.run_id))
        return _moment(found) if found else None

    def _ask(self, ask: Callable[[], T]) -> T:
        """Asks the API as long as the run is ours: it may be away for a while."""
        while not self.lease_lost():
            try:
                return ask()
            except Unavailable:
                time.sleep(_PAUSE_SEC)
            except ApiError as refusal:
                if not moved_on(refusal):
                    raise
                self.lost = True
        raise LeaseLost("the lease is over; another worker may have the run by now")

    def context(self) -> Context:
        """Returns the handler's context of the run."""
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
            due_at=_moment(str(run["due_at"])),
            deadline=self.deadline,
            payload=run.get("payload"),
            checkpoint=self.lease.get("checkpoint"),
            log=run_log.of(names),
            hands=self,
        )


def fetched(client: Client, lease: Lease, lease_sec: int, *, asked_at: float) -> Fetched:
    """Takes a run that has just come: by the API's clock its attempt began now."""
    began_at = _moment(str(lease["run"]["started_at"]))
    return Fetched(
        client=client,
        lease=lease,
        lease_sec=lease_sec,
        leased_until=asked_at + lease_sec,
        ahead_sec=began_at.timestamp() - time.time(),
    )


def moved_on(refusal: ApiError) -> bool:
    """Tells whether a refusal means that the run is no longer this worker's."""
    return refusal.status in _MOVED_ON


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
