"""Serves calendars: stored under a name, and used by every schedule that names them."""

from __future__ import annotations

import re
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import operation_pages, preconditions, responses
from onthedot.api.door.patterns import CALENDAR_ID
from onthedot.api.door.preconditions import (
    DryRun,
    PlanToken,
    check_new,
    check_none_wanted,
    check_version,
    require_version,
)
from onthedot.api.door.request import by, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.calendar_shapes import CalendarFields, CalendarIn
from onthedot.records.problems import Fault, Problem, not_found
from onthedot.records.tasks import calendar
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.calendar import Stored
from onthedot.registry import calendar_edits
from onthedot.schedule.time.instants import moment
from onthedot.store import clock, table_reads
from onthedot.upkeep import bulk_operations

_NAMED_MAX = 20


def create(
    body: Annotated[CalendarIn, Body()], dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Create a calendar."""
    wanted = _made(body.calendar_id, body, None)
    if dry_run == "true" and calendar_edits.read(tenant(), body.calendar_id):
        raise _taken(body.calendar_id)
    effects = {"action": "create", "calendar": wanted.view()}
    if planned := preconditions.first(dry_run, plan_token, effects, None):
        return planned
    if not calendar_edits.write(None, wanted, by()):
        raise _taken(body.calendar_id)
    where = {"Location": f"/v1/calendars/{wanted.calendar_id}"}
    return responses.versioned(wanted.view(), 201, where)


def index() -> Response[str]:
    """List calendars by their ids."""
    mine = calendar.partition(tenant())
    found = table_reads.rows(("task_id", mine), "part", ("0", "~"), table=calendar.TABLE)
    shown = [calendar.parse(item).view() for item in found]
    return responses.answer({"data": shown, "next_cursor": None})


def show(calendar_id: str) -> Response[str]:
    """Show one calendar."""
    return responses.versioned(_find(calendar_id).view())


def put(
    calendar_id: str,
    body: Annotated[CalendarFields, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Create or replace a calendar. It applies from now on to every schedule that names it.

    A replacement needs If-Match. Many schedules take some minutes: 300 in each.
    """
    seen = calendar_edits.read(tenant(), calendar_id)
    if seen is None and not re.fullmatch(CALENDAR_ID, calendar_id):
        raise not_found("calendar of that id")
    if seen is not None:
        if check_new():
            raise Problem(
                "version_mismatch", "It exists already: If-None-Match asks for a new one."
            )
        require_version()
        check_version(seen.version)
    wanted = _made(calendar_id, body, seen)
    if seen is None:
        check_none_wanted("calendar")
    version = seen.version if seen else 0
    if dry_run == "true":
        return preconditions.plan(_effects("change" if seen else "create", calendar_id), version)
    preconditions.check(plan_token, version)
    if not calendar_edits.write(seen, wanted, by()):
        raise Problem("version_mismatch", "It has just been changed: read it again.")
    if seen is None:
        return responses.versioned(wanted.view(), 201, {"Location": f"/v1/calendars/{calendar_id}"})
    _recompute(calendar_id)
    return responses.versioned(wanted.view())


def remove(
    calendar_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Delete a calendar that no schedule names."""
    seen = _find(calendar_id)
    check_version(seen.version)
    effects = _effects("delete", calendar_id)
    if effects["schedules"]:
        names = ", ".join(one["name"] for one in effects["schedules"])
        message = f"Schedules name it: remove it from their calendars first ({names})."
        raise Problem("calendar_in_use", message)
    if planned := preconditions.first(dry_run, plan_token, effects, seen.version):
        return planned
    if not calendar_edits.remove(seen, by()):
        raise Problem("version_mismatch", "It has just been changed: read it again.")
    return responses.empty()


def _find(calendar_id: str) -> Stored:
    found = calendar_edits.read(tenant(), calendar_id)
    if found is None:
        raise not_found("calendar of that id")
    return found


def _made(calendar_id: str, body: CalendarFields, seen: Stored | None) -> Stored:
    who = by()
    given: dict[str, Any] = body.model_dump(exclude_none=True)
    if not given.get("dates") and not given.get("cron"):
        message = "It excludes nothing: expected dates, a cron, or both."
        fault = Fault(pointer="/dates", code="empty", message=message, field="dates")
        raise Problem("invalid_field", message, [fault])
    made = Stored(
        tenant_id=tenant(),
        calendar_id=calendar_id,
        timezone=given.get("timezone", "UTC"),
        dates=tuple(given.get("dates", ())),
        cron=given.get("cron"),
        description=given.get("description", ""),
        version=seen.version + 1 if seen else 1,
        updated_at=moment(who.now_ms) or "",
        updated_by=who.key_id,
    )
    # An error in it is refused here.
    _ = made.blackout
    return made


def _recompute(calendar_id: str) -> None:
    """Begins at once. The next minutes continue, and make a second pass."""
    name = operation_pages.named("cal")
    loop = Loop(
        loop_id=name.loop_id,
        tenant_id=name.tenant_id,
        kind="calendar",
        wanted={"calendar_id": calendar_id},
        cursor="",
        per_minute=calendar_edits.PER_MINUTE,
        by=name.by,
        began_ms=clock.now_ms(),
    )
    operation_pages.begin(loop)
    bulk_operations.advance(loop)


def _effects(action: str, calendar_id: str) -> dict[str, Any]:
    naming = list(islice(calendar_edits.named_by(tenant(), calendar_id), _NAMED_MAX + 1))
    return {
        "action": action,
        "calendar_id": calendar_id,
        "schedules": [
            {"task_id": one["task_id"], "name": one["name"]} for one in naming[:_NAMED_MAX]
        ],
        "complete": len(naming) <= _NAMED_MAX,
    }


def _taken(calendar_id: str) -> Problem:
    message = f"There is a calendar '{calendar_id}' already: expected another id."
    fault = Fault(pointer="/calendar_id", code="name_taken", message=message, field="calendar_id")
    return Problem("name_taken", message, [fault])


HANDLERS: Handlers = {
    "POST /v1/calendars": create,
    "GET /v1/calendars": index,
    "GET /v1/calendars/{calendar_id}": show,
    "PUT /v1/calendars/{calendar_id}": put,
    "DELETE /v1/calendars/{calendar_id}": remove,
}
