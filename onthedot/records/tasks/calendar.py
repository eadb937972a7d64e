"""Describes a calendar: as its user stores it, and as each task that names it keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Clause, Delete, Insert, Update
from onthedot.records.keys import part_key
from onthedot.records.problems import Fault, of_faults
from onthedot.schedule.blackouts import Blackout, blackout
from onthedot.schedule.expression.errors import ScheduleError

TABLE = "tasks"
_KEPT = ("timezone", "dates", "cron", "description", "version", "updated_at", "updated_by")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Days in a zone, or the minutes of a cron, in which nothing fires."""

    tenant_id: str
    calendar_id: str
    timezone: str = "UTC"
    dates: tuple[str, ...] = ()
    cron: str | None = None
    description: str = ""
    version: int = 1
    updated_at: str = ""
    updated_by: str = ""

    @property
    def blackout(self) -> Blackout:
        """Returns what a task keeps of it, or says what is wrong with it."""
        try:
            return blackout(
                self.calendar_id, timezone=self.timezone, dates=self.dates, cron=self.cron
            )
        except ScheduleError as error:
            fault = Fault.of(f"/{_field(error)}", error)
            raise of_faults("invalid_field", [fault]) from None

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Returns the key of its item."""
        return (("task_id", partition(self.tenant_id)), ("part", self.calendar_id))

    def fields(self) -> dict[str, Any]:
        """Returns the fields that are stored and shown."""
        return {name: _plain(getattr(self, name)) for name in _KEPT}

    def view(self) -> dict[str, Any]:
        return {"calendar_id": self.calendar_id, **self.fields()}


def parse(item: Mapping[str, Any]) -> Stored:
    kept = {name: item[name] for name in _KEPT if name in item}
    return Stored(
        tenant_id=item["task_id"].removeprefix("cal#"),
        calendar_id=item["part"],
        **{**kept, "dates": tuple(item["dates"])},
    )


def partition(tenant_id: str) -> str:
    """Returns the partition of a tenant's calendars."""
    return f"cal#{tenant_id}"


def key(tenant_id: str, calendar_id: str) -> dict[str, str]:
    """Returns the key of a calendar."""
    return part_key(partition(tenant_id), calendar_id)


def insert(stored: Stored) -> Insert:
    return Insert(TABLE, {**dict(stored.key), **stored.fields()}, ("task_id", "part"))


def replacement(seen: Stored, wanted: Stored) -> Update:
    """Replaces the calendar that was seen."""
    clause = Clause.equal("version", seen.version)
    return Update(TABLE, wanted.key, tuple(wanted.fields().items()), (clause,))


def removal(seen: Stored) -> Delete:
    """Deletes the calendar that was seen."""
    return Delete(TABLE, seen.key, (Clause.equal("version", seen.version),))


def _plain(value: Any) -> Any:  # noqa: ANN401  # any of its fields
    return list(value) if isinstance(value, tuple) else value


def _field(error: ScheduleError) -> str:
    return error.field if error.field in ("timezone", "dates") else "cron"
