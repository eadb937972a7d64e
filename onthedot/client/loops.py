"""Starts and reads work that goes on each minute: backfills, and operations on dead letters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote

from onthedot.client.pages import walk
from onthedot.client.plans import Plan, plan
from onthedot.client.transport import Transport
from onthedot.records.shown_objects import Backfill, DeadLetter, ErrorGroup, Operation

_DEAD = "/v1/dead-letters"


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """`client.dead_letters`. Filters are `task_id`, `fingerprint`, `reason`, `from_` and `to`."""

    transport: Transport

    def iter(self, **filters: object) -> Iterator[DeadLetter]:
        """Walks all dead letters that match, newest first."""
        return cast("Iterator[DeadLetter]", walk(self.transport, _DEAD, filters))

    def groups(self) -> list[ErrorGroup]:
        """Returns dead letters grouped by error, the largest group first."""
        return cast("list[ErrorGroup]", self.transport.call("GET", f"{_DEAD}/groups")["data"])

    def plan_replay(self, **which: object) -> Plan[Operation]:
        """Plans to replay those that match. `use`, `payload_patch`, `rate_per_min` say how."""
        return plan(self.transport, f"{_DEAD}/replay", which)

    def plan_purge(self, **which: object) -> Plan[Operation]:
        """Plans to delete payload, error and result of those that match."""
        return plan(self.transport, f"{_DEAD}/purge", which)

    def operations(self) -> Iterator[Operation]:
        """Walks the operations, newest first."""
        return cast("Iterator[Operation]", walk(self.transport, f"{_DEAD}/operations", {}))

    def operation(self, operation_id: str) -> Operation:
        """Returns an operation with its progress."""
        return cast("Operation", self.transport.call("GET", _operation(operation_id)))

    def cancel(self, operation_id: str) -> Operation:
        """Stops an operation. What it has done stays done."""
        path = f"{_operation(operation_id)}/cancel"
        return cast("Operation", self.transport.call("POST", path))


@dataclass(frozen=True, slots=True)
class Backfills:
    """`client.backfills`. A schedule is named by its id or its name."""

    transport: Transport

    def plan(self, schedule: str, *, from_: str, to: str, **how: object) -> Plan[Backfill]:
        """Plans to run past slots. `only_missing` and `rate_per_min` say how."""
        return plan(self.transport, _backfills(schedule), {"from": from_, "to": to, **how})

    def iter(self, schedule: str) -> Iterator[Backfill]:
        """Walks a schedule's backfills, newest first."""
        return cast("Iterator[Backfill]", walk(self.transport, _backfills(schedule), {}))

    def get(self, schedule: str, backfill_id: str) -> Backfill:
        """Returns a backfill with its progress."""
        path = f"{_backfills(schedule)}/{quote(backfill_id, safe='')}"
        return cast("Backfill", self.transport.call("GET", path))

    def cancel(self, schedule: str, backfill_id: str) -> Backfill:
        """Stops a backfill. Runs that are under way go on."""
        path = f"{_backfills(schedule)}/{quote(backfill_id, safe='')}/cancel"
        return cast("Backfill", self.transport.call("POST", path))


def _operation(operation_id: str) -> str:
    return f"{_DEAD}/operations/{quote(operation_id, safe='')}"


def _backfills(schedule: str) -> str:
    return f"/v1/schedules/{quote(schedule, safe='')}/backfills"
