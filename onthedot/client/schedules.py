"""Schedules and one-off tasks, from a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from onthedot.client.pages import walk
from onthedot.client.plans import Plan, plan
from onthedot.client.shapes import Json, Run, Schedule, Task
from onthedot.client.transport import Transport

_PATH = "/v1/schedules"


@dataclass(frozen=True, slots=True)
class Schedules:
    """`client.schedules`; a schedule is named by its id or its name."""

    transport: Transport

    def create(self, **fields: object) -> Schedule:
        """Register a schedule; the fields are the API's."""
        return cast("Schedule", self.transport.call("POST", _PATH, body=fields))

    def get(self, schedule: str) -> Schedule:
        """Give one."""
        return cast("Schedule", self.transport.call("GET", _at(schedule)))

    def iter(self, **filters: object) -> Iterator[Schedule]:
        """Walk all that match, page by page."""
        return cast("Iterator[Schedule]", walk(self.transport, _PATH, filters))

    def replace(self, schedule: str, fields: Mapping[str, object], *, version: int) -> Schedule:
        """Replace all fields, unless somebody has written since that version."""
        match = {"if-match": f'"{version}"'}
        answer = self.transport.call("PUT", _at(schedule), body=dict(fields), headers=match)
        return cast("Schedule", answer)

    def change(self, schedule: str, *, version: int | None = None, **fields: object) -> Schedule:
        """Write some fields; None is back to the default."""
        match = {"if-match": f'"{version}"'} if version is not None else {}
        answer = self.transport.call("PATCH", _at(schedule), body=fields, headers=match)
        return cast("Schedule", answer)

    def delete(self, schedule: str) -> None:
        """End it; its history stays."""
        self.transport.call("DELETE", _at(schedule))

    def pause(self, schedule: str, **why: object) -> Schedule:
        """Stop new starts; `reason` and `until` go with it."""
        return cast("Schedule", self.transport.call("POST", _at(schedule, "pause"), body=why))

    def resume(self, schedule: str) -> Schedule:
        """Go on from now; what passed meanwhile stays passed."""
        return cast("Schedule", self.transport.call("POST", _at(schedule, "resume"), body={}))

    def plan_resume(self, schedule: str, catchup: str) -> Plan[Schedule]:
        """Plan to go on and to run what passed meanwhile: the `latest` slot of it, or `all`."""
        return plan(self.transport, _at(schedule, "resume"), {"catchup": catchup})

    def trigger(self, schedule: str, **what: object) -> Run:
        """Run it once, now, with its own `payload` or another."""
        return cast("Run", self.transport.call("POST", _at(schedule, "trigger"), body=what))

    def next(self, schedule: str, count: int = 5) -> Json:
        """Give its next fires."""
        answer = self.transport.call("GET", _at(schedule, "next"), query={"count": count})
        return cast("Json", answer)

    def slots(self, schedule: str, **filters: object) -> Iterator[Json]:
        """Walk its slots with their outcomes, oldest first: a day back and ahead by default."""
        return cast("Iterator[Json]", walk(self.transport, _at(schedule, "slots"), filters))

    def runs(self, schedule: str, **filters: object) -> Iterator[Run]:
        """Walk its runs, newest first."""
        return cast("Iterator[Run]", walk(self.transport, _at(schedule, "runs"), filters))


@dataclass(frozen=True, slots=True)
class Tasks:
    """`client.tasks`."""

    transport: Transport

    def create(self, **fields: object) -> Task:
        """Register a one-off task; the fields are the API's."""
        return cast("Task", self.transport.call("POST", "/v1/tasks", body=fields))

    def create_many(self, tasks: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Register up to a hundred; each has its own status in the answer."""
        body = {"tasks": [dict(task) for task in tasks]}
        return cast("list[Json]", self.transport.call("POST", "/v1/tasks/batch", body=body)["data"])

    def get(self, task_id: str) -> Task:
        """Give one, with its run once it is claimed."""
        return cast("Task", self.transport.call("GET", _task(task_id)))

    def iter(self, **filters: object) -> Iterator[Task]:
        """Walk all that match, page by page."""
        return cast("Iterator[Task]", walk(self.transport, "/v1/tasks", filters))

    def reschedule(self, task_id: str, **when: object) -> Task:
        """Move it to `run_at`, or `delay_sec` from now, unless it has started."""
        return cast("Task", self.transport.call("POST", _task(task_id, "reschedule"), body=when))

    def cancel(self, task_id: str) -> Task:
        """Cancel it, unless it has started."""
        return cast("Task", self.transport.call("POST", _task(task_id, "cancel")))


def _at(schedule: str, what: str = "") -> str:
    return f"{_PATH}/{quote(schedule, safe='')}" + (f"/{what}" if what else "")


def _task(task_id: str, what: str = "") -> str:
    return f"/v1/tasks/{quote(task_id, safe='')}" + (f"/{what}" if what else "")
