"""Registers, changes and reads schedules and one-off tasks, from a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from onthedot.client.pages import walk
from onthedot.client.plans import Plan, plan
from onthedot.client.transport import Transport
from onthedot.records.shown_objects import Json, Run
from onthedot.records.tasks.task_fields import Schedule, Task

_PATH = "/v1/schedules"


@dataclass(frozen=True, slots=True)
class Schedules:
    """`client.schedules`. A schedule is named by its id or its name."""

    transport: Transport

    def create(self, **fields: object) -> Schedule:
        """Registers a schedule. The fields are the API's."""
        return cast("Schedule", self.transport.call("POST", _PATH, body=fields))

    def get(self, schedule: str) -> Schedule:
        return cast("Schedule", self.transport.call("GET", _at(schedule)))

    def iter(self, **filters: object) -> Iterator[Schedule]:
        """Walks all schedules that match, page by page."""
        return cast("Iterator[Schedule]", walk(self.transport, _PATH, filters))

    def replace(self, schedule: str, fields: Mapping[str, object], *, version: int) -> Schedule:
        """Replaces all fields. With `version`, only if nobody has written since."""
        match = {"if-match": f'"{version}"'}
        answer = self.transport.call("PUT", _at(schedule), body=dict(fields), headers=match)
        return cast("Schedule", answer)

    def change(self, schedule: str, *, version: int | None = None, **fields: object) -> Schedule:
        """Changes some fields. None sets the default."""
        match = {"if-match": f'"{version}"'} if version is not None else {}
        answer = self.transport.call("PATCH", _at(schedule), body=fields, headers=match)
        return cast("Schedule", answer)

    def delete(self, schedule: str) -> None:
        """Ends a schedule. Its history stays."""
        self.transport.call("DELETE", _at(schedule))

    def pause(self, schedule: str, **why: object) -> Schedule:
        """Stops new starts. `reason` and `until` may be given."""
        return cast("Schedule", self.transport.call("POST", _at(schedule, "pause"), body=why))

    def resume(self, schedule: str) -> Schedule:
        """Continues from now. Slots that passed meanwhile stay as they are."""
        return cast("Schedule", self.transport.call("POST", _at(schedule, "resume"), body={}))

    def plan_resume(self, schedule: str, catchup: str) -> Plan[Schedule]:
        """Plans to continue, and to run slots that passed meanwhile: the `latest`, or `all`."""
        return plan(self.transport, _at(schedule, "resume"), {"catchup": catchup})

    def trigger(self, schedule: str, **what: object) -> Run:
        """Runs a schedule once, now, with its own `payload` or another."""
        return cast("Run", self.transport.call("POST", _at(schedule, "trigger"), body=what))

    def next(self, schedule: str, count: int = 5) -> Json:
        """Returns its next fires."""
        answer = self.transport.call("GET", _at(schedule, "next"), query={"count": count})
        return cast("Json", answer)

    def slots(self, schedule: str, **filters: object) -> Iterator[Json]:
        """Walks its slots with outcomes, oldest first: by default a day back and a day ahead."""
        return cast("Iterator[Json]", walk(self.transport, _at(schedule, "slots"), filters))

    def runs(self, schedule: str, **filters: object) -> Iterator[Run]:
        """Walks its runs, newest first."""
        return cast("Iterator[Run]", walk(self.transport, _at(schedule, "runs"), filters))


@dataclass(frozen=True, slots=True)
class Tasks:
    """`client.tasks`."""

    transport: Transport

    def create(self, **fields: object) -> Task:
        """Registers a one-off task. The fields are the API's."""
        return cast("Task", self.transport.call("POST", "/v1/tasks", body=fields))

    def create_many(self, tasks: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Registers up to a hundred tasks. Each has its own status in the answer."""
        body = {"tasks": [dict(task) for task in tasks]}
        return cast("list[Json]", self.transport.call("POST", "/v1/tasks/batch", body=body)["data"])

    def get(self, task_id: str) -> Task:
        """Returns a task, with its run once it is claimed."""
        return cast("Task", self.transport.call("GET", _task(task_id)))

    def iter(self, **filters: object) -> Iterator[Task]:
        """Walks all tasks that match, page by page."""
        return cast("Iterator[Task]", walk(self.transport, "/v1/tasks", filters))

    def reschedule(self, task_id: str, **when: object) -> Task:
        """Moves a task to `run_at`, or to `delay_sec` from now, unless it has started."""
        return cast("Task", self.transport.call("POST", _task(task_id, "reschedule"), body=when))

    def cancel(self, task_id: str) -> Task:
        """Cancels a task, unless it has started."""
        return cast("Task", self.transport.call("POST", _task(task_id, "cancel")))


def _at(schedule: str, what: str = "") -> str:
    return f"{_PATH}/{quote(schedule, safe='')}" + (f"/{what}" if what else "")


def _task(task_id: str, what: str = "") -> str:
    return f"/v1/tasks/{quote(task_id, safe='')}" + (f"/{what}" if what else "")
