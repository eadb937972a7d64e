"""Measures the view of what comes next over 10,000 schedules: the first time, and again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from bench.measure import Line, at_most, best_sec, cpu_sec, told
from onthedot.api.views import agenda_source
from onthedot.records.access.audit_trail import By
from onthedot.records.attributes import typed_item
from onthedot.registry import definition
from onthedot.registry.lifecycle import stamped
from onthedot.store import aws, table_reads
from onthedot.store.ids import new_id
from tests.api.kit import NOON, Api
from tests.contract import engines

SCHEDULES = 10_000
_ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Asia/Tokyo")
_WEEK = "to=2026-11-25T12:00:00Z&bucket_sec=3600"


def lines() -> Iterator[Line]:
    """Lists what is next, and counts what comes when."""
    with engines.dynoxide() as url, pytest.MonkeyPatch.context() as settings:
        api = Api.made(settings, url)
        parse = aws._parse_fast  # noqa: SLF001  # as the function's own client does
        aws.client("dynamodb").meta.events.register("before-parse.dynamodb.*", parse)
        table_reads.put("access", {"pk": "tenant#acme", "sk": "-", "requests_per_min": 10_000_000})
        _fill(api)
        api.warm()
        wanted = {
            "what comes next": "GET /v1/upcoming",
            "a day by 5 minutes": "GET /v1/upcoming/heat",
            "a week by hours": f"GET /v1/upcoming/heat?{_WEEK}",
        }
        for what, route in wanted.items():
            call = partial(api.call, route)
            first = best_sec(call, 3, agenda_source.forget) * 1000
            yield at_most(f"{SCHEDULES:,} schedules, {what}, CPU of the first", first, 1_000, "ms")
            yield told("  calls to the store", api.trips(), "calls")
            yield told("  and within the minute", cpu_sec(call) * 1000, "ms")


def _fill(api: Api) -> None:
    chance = Random(1)  # noqa: S311  # the same mixture each time
    by = By(
        tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=NOON * 1000, chance="0" * 16
    )
    for _ in range(0, SCHEDULES, 25):
        api.now_ms += 1
        requests = []
        for _ in range(25):
            fields = {
                "name": new_id("job"),
                "cron": _cron(chance),
                "timezone": chance.choice(_ZONES),
                "jitter_sec": chance.choice([0, 0, 0, 60]),
                "target": {"type": "python", "handler": "hello"},
            }
            task = definition.schedule(fields, task_id=new_id("sch"), tenant_id="acme")
            requests.append({"PutRequest": {"Item": typed_item(stamped(task, by).item())}})
        aws.dynamodb("batch_write_item", RequestItems={aws.table("tasks"): requests})


def _cron(chance: Random) -> str:
    """Returns an expression as people write them: mostly daily, some hourly, few more often."""
    minute, hour = chance.randrange(60), chance.randrange(24)
    daily, hourly = f"{minute} {hour} * * *", f"{minute} * * * *"
    weekdays = f"0 {hour} * * MON-FRI"
    kinds = [daily, hourly, "*/5 * * * *", "* * * * *", weekdays, "H H * * *"]
    return chance.choices(kinds, weights=[50, 20, 10, 5, 10, 5])[0]
