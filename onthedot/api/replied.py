"""Which route answers with what: status and body; only the OpenAPI document reads this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.api.replies import Health, Schedule, ScheduleEntry, Task, TaskEntry
from onthedot.api.replies_lease import Kept, Leases, PreviousSuccess, Step
from onthedot.api.replies_rest import (
    Calendar,
    ComingFires,
    Heat,
    Overview,
    Tenant,
    TrailEntry,
)
from onthedot.api.replies_runs import (
    Backfill,
    CompletePage,
    DeadLetter,
    ErrorGroup,
    Logs,
    Operation,
    Run,
    RunEntry,
)
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
    "POST /v1/schedules/{schedule}/trigger": {200: Plan, 202: Run},
    "GET /v1/schedules/{schedule}/next": {200: Fires},
    "GET /v1/schedules/{schedule}/slots": {200: Page[SlotEntry]},
    "GET /v1/schedules/{schedule}/runs": {200: Page[RunEntry]},
    "POST /v1/tasks": {200: Task | Plan, 201: Task},
    "POST /v1/tasks/batch": {200: BatchResults | Plan},
    "GET /v1/tasks": {200: Page[TaskEntry]},
    "GET /v1/tasks/{task_id}": {200: Task, 304: None},
    "POST /v1/tasks/{task_id}/cancel": {200: Task | Plan},
    "POST /v1/tasks/{task_id}/reschedule": {200: Task | Plan},
    "POST /v1/keys": {200: Plan, 201: NewKey},
    "GET /v1/keys": {200: Page[Key]},
    "GET /v1/keys/{key_id}": {200: Key},
    "DELETE /v1/keys/{key_id}": {200: Plan, 204: None},
    "POST /v1/cron/preview": {200: Preview},
    "GET /v1/timezones": {200: Zones},
    "GET /v1/runs": {200: Page[RunEntry]},
    "GET /v1/runs/{run_id}": {200: Run},
    "POST /v1/runs/{run_id}/cancel": {200: Run | Plan, 202: Run},
    "POST /v1/runs/{run_id}/replay": {200: Plan, 201: Run},
    "GET /v1/runs/{run_id}/logs": {200: Logs},
    "POST /v1/leases": {200: Leases},
    "POST /v1/runs/{run_id}/heartbeat": {200: Kept},
    "POST /v1/runs/{run_id}/complete": {204: None},
    "POST /v1/runs/{run_id}/fail": {204: None},
    "POST /v1/runs/{run_id}/once": {200: Step},
    "GET /v1/runs/{run_id}/previous-success": {200: PreviousSuccess},
    "GET /v1/dead-letters": {200: Page[DeadLetter]},
    "GET /v1/dead-letters/groups": {200: CompletePage[ErrorGroup]},
    "POST /v1/dead-letters/replay": {200: Plan, 202: Operation},
    "POST /v1/dead-letters/purge": {200: Plan, 202: Operation},
    "GET /v1/dead-letters/operations": {200: Page[Operation]},
    "GET /v1/dead-letters/operations/{operation_id}": {200: Operation},
    "POST /v1/dead-letters/operations/{operation_id}/cancel": {200: Operation},
    "POST /v1/schedules/{schedule}/backfills": {200: Plan, 202: Backfill},
    "GET /v1/schedules/{schedule}/backfills": {200: Page[Backfill]},
    "GET /v1/schedules/{schedule}/backfills/{backfill_id}": {200: Backfill},
    "POST /v1/schedules/{schedule}/backfills/{backfill_id}/cancel": {200: Backfill},
    "POST /v1/calendars": {200: Plan, 201: Calendar},
    "GET /v1/calendars": {200: Page[Calendar]},
    "GET /v1/calendars/{calendar_id}": {200: Calendar, 304: None},
    "PUT /v1/calendars/{calendar_id}": {200: Calendar | Plan, 201: Calendar},
    "DELETE /v1/calendars/{calendar_id}": {200: Plan, 204: None},
    "GET /v1/overview": {200: Overview, 304: None},
    "GET /v1/upcoming": {200: ComingFires},
    "GET /v1/upcoming/heat": {200: Heat},
    "GET /v1/audit": {200: Page[TrailEntry]},
    "GET /v1/tenants": {200: Page[Tenant]},
    "GET /v1/tenants/{tenant_id}": {200: Tenant},
    "PUT /v1/tenants/{tenant_id}": {200: Tenant | Plan},
    "POST /v1/tenants/{tenant_id}/keys": {200: Plan, 201: NewKey},
}
