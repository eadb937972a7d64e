"""`pause_after_deaths`: how many deaths in a row pause a schedule, and the warning before that."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.store import table_reads
from onthedot.upkeep import failing_task
from onthedot.upkeep.failing_task import Health
from tests.api.kit import SCHEDULE, Api

FIELD = "pause_after_deaths"


def died(api: Api, task_id: str, failures: int, paused_ms: int = 0) -> None:
    """Writes what the audit keeps of a task after that many deaths in a row."""
    health = Health(task_id=task_id, failures=failures, last=f"{api.now_ms:013}#", probe_ms=1)
    table_reads.put(failing_task.TABLE, {**health.item(), "paused_ms": paused_ms})


def warned(api: Api, name: str = "report") -> list[Any]:
    warnings = api.call(f"GET /v1/schedules/{name}").body["warnings"]
    return [one for one in warnings if one["code"] == "pause_near"]


def test_ten_deaths_pause_a_schedule_unless_it_says_otherwise(api: Api) -> None:
    assert api.schedule("usual")[FIELD] == 10
    assert api.schedule("strict", pause_after_deaths=3)[FIELD] == 3
    assert api.schedule("stubborn", pause_after_deaths=None)[FIELD] is None
    assert api.call("GET /v1/schedules/stubborn").body[FIELD] is None


def test_a_patch_with_null_switches_the_pause_off_and_one_without_it_leaves_it(api: Api) -> None:
    api.schedule(pause_after_deaths=3)

    for patch, then in (
        ({"description": "new"}, 3),
        ({FIELD: None}, None),
        ({"description": "newer"}, None),
        ({FIELD: 10}, 10),
    ):
        assert api.call("PATCH /v1/schedules/report", patch).body[FIELD] == then
        assert api.call("GET /v1/schedules/report").body[FIELD] == then


@pytest.mark.parametrize("number", [None, 7, 10])
def test_what_was_read_can_be_put_back(api: Api, number: int | None) -> None:
    api.schedule(pause_after_deaths=number)
    whole = api.call("GET /v1/schedules/report")

    put = api.call("PUT /v1/schedules/report", whole.body, if_match=whole.headers["etag"])

    assert put.status == 200, put.text
    assert put.body[FIELD] == number


@pytest.mark.parametrize("number", [0, 1_001, "never"])
def test_a_number_that_cannot_be_is_refused(api: Api, number: object) -> None:
    refused = api.call("POST /v1/schedules", SCHEDULE | {"name": "report", FIELD: number})

    assert refused.status == 422
    assert refused.body["errors"][0]["pointer"] == f"/{FIELD}"


@pytest.mark.parametrize(
    ("most", "failures", "expected"),
    [(10, 4, 0), (10, 5, 1), (10, 9, 1), (2, 1, 1), (None, 900, 0)],
)
def test_a_schedule_warns_from_half_of_the_deaths_on(
    api: Api, most: int | None, failures: int, expected: int
) -> None:
    died(api, api.schedule(pause_after_deaths=most)["task_id"], failures)

    assert len(warned(api)) == expected


def test_the_warning_says_how_many_and_how_it_ends(api: Api) -> None:
    died(api, api.schedule()["task_id"], 6)

    (warning,) = warned(api)

    assert warning["detail"] == (
        "The last 6 runs died. After 10 deaths in a row the schedule is paused "
        "(pause_after_deaths). One success starts the count again."
    )


def test_what_somebody_resumed_after_the_pause_is_not_warned_of(api: Api) -> None:
    died(api, api.schedule()["task_id"], 10, paused_ms=1)

    assert warned(api) == []
