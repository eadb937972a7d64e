"""Schedules before they are saved: what an expression means, and which zones there are."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.adapters import clock
from onthedot.api import answers
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.shapes import PreviewIn
from onthedot.core import definition, zones
from onthedot.core import preview as previews
from onthedot.core.blackouts import calendars_of
from onthedot.core.defaults import SCHEDULE
from onthedot.core.errors import ScheduleError
from onthedot.core.heat import same_minute
from onthedot.core.instants import nominal, parse_instant
from onthedot.core.per_day import per_day
from onthedot.core.preview import Window
from onthedot.core.problems import Fault, of_faults
from onthedot.core.schedule_view import with_calendars
from onthedot.core.zone_names import zone_names
from onthedot.flows import agenda, calendars


def preview(body: Annotated[PreviewIn, Body()]) -> Response[str]:
    """Say when a schedule would fire, without saving it; H and jitter are drawn from `seed`."""
    given = body.model_dump(exclude_none=True, by_alias=True)
    if "run_at" in given:
        given["cron"] = f"at({_instant(given.pop('run_at'), 'run_at')[:-1]})"
    seed = given.get("seed", "")
    named = calendars.resolve(tenant(), given.get("calendars", ()))
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
    shown = previews.preview(schedule, text, window, seconds=seconds, seed=seed).as_json()
    fewest, most = per_day(schedule, after)
    shown["per_day"] = {"min": fewest, "max": most}
    first = schedule.next(after)
    known = agenda.neighbours(tenant())
    beside = 0 if first is None else same_minute(known, first)
    shown["collisions"] = {"same_minute": beside, "complete": known.complete}
    return answers.answer(shown)


def timezones() -> Response[str]:
    """List the zones that a schedule may be in."""
    return answers.answer({"timezones": list(_names()), "tzdata": zones.VERSION})


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
