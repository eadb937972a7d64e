"""Which route answers with what: status and body; only the OpenAPI document reads this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.api.replies import Health, Schedule, ScheduleEntry, Task, TaskEntry
from onthedot.api.replies_small import (
    BatchResults,
    Fires,
    Key,
    NewKey,
    Page,
    Plan,
    Preview,
    SlotEntry,
    Zones,
)

# None stands for an answer without a body, a text for another kind of content.
# What is not named here answers 200 with some object.
REPLIES: Mapping[str, Mapping[int, Any]] = {
    "GET /v1/health": {200: Health},
    "GET /problems/{code}": {200: "text/markdown"},
    "POST /v1/schedules": {200: Plan, 201: Schedule},
    "GET /v1/schedules": {200: Page[ScheduleEntry]},
    "GET /v1/schedules/{schedule}": {200: Schedule, 304: None},
    "PUT /v1/schedules/{schedule}": {200: Schedule | Plan, 201: Schedule},
    "PATCH /v1/schedules/{schedule}": {200: Schedule | Plan},
    "DELETE /v1/schedules/{schedule}": {200: Plan, 204: None},
    "POST /v1/schedules/{schedule}/pause": {200: Schedule | Plan},
    "POST /v1/schedules/{schedule}/resume": {200: Schedule | Plan},
    "POST /v1/schedules/{schedule}/trigger": {202: dict[str, Any]},
    "GET /v1/schedules/{schedule}/next": {200: Fires},
    "GET /v1/schedules/{schedule}/slots": {200: Page[SlotEntry]},
    "GET /v1/schedules/{schedule}/runs": {200: Page[dict[str, Any]]},
    "POST /v1/tasks": {200: Task | Plan, 201: Task},
    "POST /v1/tasks/batch": {200: BatchResults},
    "GET /v1/tasks": {200: Page[TaskEntry]},
    "GET /v1/tasks/{task_id}": {200: Task, 304: None},
    "POST /v1/tasks/{task_id}/cancel": {200: Task | Plan},
    "POST /v1/tasks/{task_id}/reschedule": {200: Task | Plan},
    "POST /v1/keys": {201: NewKey},
    "GET /v1/keys": {200: Page[Key]},
    "GET /v1/keys/{key_id}": {200: Key},
    "DELETE /v1/keys/{key_id}": {204: None},
    "POST /v1/cron/preview": {200: Preview},
    "GET /v1/timezones": {200: Zones},
}
