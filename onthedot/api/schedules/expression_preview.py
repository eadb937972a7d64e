"""Previews schedules before they are saved, and lists the zones."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import responses
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.schedule_shapes import PreviewIn
from onthedot.api.views import agenda_source
from onthedot.api.views.load_map import same_minute
from onthedot.api.views.schedule_view import with_calendars
from onthedot.records.problems import Fault, of_faults
from onthedot.records.tasks.task_fields import SCHEDULE
from onthedot.registry import calendar_edits, definition
from onthedot.schedule.blackouts import calendars_of
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time import zones
from onthedot.schedule.time.instants import nominal, parse_instant
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.words import schedule_preview
from onthedot.schedule.words.fires_per_day import per_day
from onthedot.schedule.words.schedule_preview import Window
from onthedot.store import clock


def preview(body: Annotated[PreviewIn, Body()]) -> Response[str]:
    """Say when a schedule would fire, without saving it; H and jitter are drawn from `seed`."""
    given = body.model_dump(exclude_none=True, by_alias=True)
    if "run_at" in given:
        given["cron"] = f"at({_instant(given.pop('run_at'), 'run_at')[:-1]})"
    seed = given.get("seed", "")
    named = calendar_edits.resolve(tenant(), given.get("calendars", ()))
    schedule = with_calendars(definition.compiled(SCHEDULE | given, seed), calendars_of(named))
    after = _seconds(given["from"], "from") if "from" in given else clock.now_ms() // 1000
    window = Window(
        after=after,
        count=given.get("count", 10),
        viewer=_zone(given.get("viewer_timezone", "UTC")),
        max_runs=given.get("max_runs"),
    )
    text = given.get("cron") or f"@every {given['every_sec']}s"
    seconds = given.get("seconds", "first")
    shown = schedule_preview.preview(schedule, text, window, seconds=seconds, seed=seed).as_json()
    fewest, most = per_day(schedule, after)
    shown["per_day"] = {"min": fewest, "max": most}
    first = schedule.next(after)
    known = agenda_source.neighbours(tenant())
    beside = 0 if first is None else same_minute(known, first)
    shown["collisions"] = {"same_minute": beside, "complete": known.complete}
    return responses.answer(shown)


def timezones() -> Response[str]:
    """List the zones that a schedule may be in."""
    return responses.answer({"timezones": list(_names()), "tzdata": zones.VERSION})


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(zone_names()))


def _instant(text: str, field: str) -> str:
    return nominal(_seconds(text, field))


def _seconds(text: str, field: str) -> int:
    try:
        return parse_instant(text, field, not_before=field == "run_at")
    except ScheduleError as error:
        raise of_faults("invalid_schedule", [Fault.of(f"/{field}", error)]) from None


def _zone(name: str) -> str:
    try:
        zones.zone(name)
    except ScheduleError as error:
        raise of_faults("invalid_schedule", [Fault.of("/viewer_timezone", error)]) from None
    return name


HANDLERS: Handlers = {"POST /v1/cron/preview": preview, "GET /v1/timezones": timezones}
