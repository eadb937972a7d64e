"""Defines the bodies about calendars and tenants."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from onthedot.api.door import patterns
from onthedot.api.requests.target_shapes import Written
from onthedot.records.access import tenant_reach
from onthedot.records.runs.tenant_permits import MOST

# Dates. Every task that names the calendar keeps all of them.
_DATES_MAX = 400


class CalendarFields(Written):
    """Days on which nothing fires, or the minutes of a cron, in a zone."""

    description: str | None = Field(None, max_length=1_000)
    timezone: str | None = Field(None, max_length=64)
    dates: list[Annotated[str, Field(max_length=32)]] | None = Field(None, max_length=_DATES_MAX)
    cron: str | None = Field(None, max_length=256)


class CalendarIn(CalendarFields):
    """A new calendar."""

    calendar_id: str = Field(pattern=patterns.CALENDAR_ID)


class TenantIn(Written):
    """What a tenant may use. A field that is left out stays as it is.

    With `running_max` null, as many runs may be under way as are due.
    """

    tasks_max: int | None = Field(None, ge=0, le=10_000_000)
    running_max: int | None = Field(None, ge=1, le=MOST)
    requests_per_min: int | None = Field(None, ge=1, le=10_000_000)
    targets: list[Annotated[str, Field(max_length=300)]] | None = Field(
        None,
        max_length=tenant_reach.MOST,
        description="What its runs may call beside http addresses and `pull` queues: patterns of "
        "ARNs, such as `arn:aws:sqs:*:*:acme-*`, and of handlers, such as `python:acme_*`.",
    )
