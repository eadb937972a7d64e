"""What goes on minute by minute: backfills, and operations on many dead letters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote

from onthedot.client.pages import walk
from onthedot.client.plans import Plan, plan
from onthedot.client.shapes import Backfill, DeadLetter, ErrorGroup, Operation
from onthedot.client.transport import Transport

_DEAD = "/v1/dead-letters"


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """`client.dead_letters`; filters are `task_id`, `fingerprint`, `reason`, `from_` and `to`."""

    transport: Transport

    def iter(self, **filters: object) -> Iterator[DeadLetter]:
        """Walk all that match, newest first."""
        return cast("Iterator[DeadLetter]", walk(self.transport, _DEAD, filters))

    def groups(self) -> list[ErrorGroup]:
        """Give them by their errors, the largest group first."""
        return cast("list[ErrorGroup]", self.transport.call("GET", f"{_DEAD}/groups")["data"])

    def plan_replay(self, **which: object) -> Plan[Operation]:
        """Plan to run again those that match; `use`, `payload_patch`, `rate_per_min` say how."""
        return plan(self.transport, f"{_DEAD}/replay", which)

    def plan_purge(self, **which: object) -> Plan[Operation]:
        """Plan to drop payload, error and result of those that match."""
        return plan(self.transport, f"{_DEAD}/purge", which)

    def operations(self) -> Iterator[Operation]:
        """Walk what has been executed, newest first."""
        return cast("Iterator[Operation]", walk(self.transport, f"{_DEAD}/operations", {}))

    def operation(self, operation_id: str) -> Operation:
        """Give one, with how far it is."""
        return cast("Operation", self.transport.call("GET", _operation(operation_id)))

    def cancel(self, operation_id: str) -> Operation:
        """Stop one; what it has done stays done."""
        path = f"{_operation(operation_id)}/cancel"
        return cast("Operation", self.transport.call("POST", path))


@dataclass(frozen=True, slots=True)
class Backfills:
    """`client.backfills`, each of one schedule, named by its id or its name."""

    transport: Transport

    def plan(self, schedule: str, *, from_: str, to: str, **how: object) -> Plan[Backfill]:
        """Plan to run slots of the past; `only_missing` and `rate_per_min` say how."""
        return plan(self.transport, _backfills(schedule), {"from": from_, "to": to, **how})

    def iter(self, schedule: str) -> Iterator[Backfill]:
        """Walk a schedule's, newest first."""
        return cast("Iterator[Backfill]", walk(self.transport, _backfills(schedule), {}))

    def get(self, schedule: str, backfill_id: str) -> Backfill:
        """Give one, with how far it is."""
        path = f"{_backfills(schedule)}/{quote(backfill_id, safe='')}"
        return cast("Backfill", self.transport.call("GET", path))

    def cancel(self, schedule: str, backfill_id: str) -> Backfill:
        """Launch no more of it; what runs goes on."""
        path = f"{_backfills(schedule)}/{quote(backfill_id, safe='')}/cancel"
        return cast("Backfill", self.transport.call("POST", path))


def _operation(operation_id: str) -> str:
    return f"{_DEAD}/operations/{quote(operation_id, safe='')}"


def _backfills(schedule: str) -> str:
    return f"/v1/schedules/{quote(schedule, safe='')}/backfills"
