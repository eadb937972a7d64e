"""docs/fields.md: every field is told of, and every example is accepted and comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from onthedot.api.admin.api_documents import OPENAPI
from onthedot.api.replies import field_texts
from onthedot.api.replies.generated_files import FIELDS
from onthedot.api.requests import schedule_shapes
from onthedot.records.tasks.task_fields import SCHEDULE as DEFAULTS
from onthedot.records.tasks.task_fields import SCHEDULE_READ_ONLY, TASK_READ_ONLY
from tests.api.kit import SCHEDULE, Api

TASK = {"target": {"type": "python", "handler": "hello"}}
# Said of the request alone.
NOT_SHOWN = {"delay_sec", "idempotency_ttl_sec"}
# Every field that can be written, and the parts of some that have fields of their own.
NAMES = {name for section in field_texts.SECTIONS for name in field_texts.TEXTS[section]}
PARTS = ("retry", "concurrency_key", "rate")
PAGE = FIELDS.read_text(encoding="utf-8")
EXAMPLES = dict(
    re.findall(r"^### `([^`]+)`\n(?:(?!^###).*\n)*?```json\n(.*)\n```", PAGE, re.MULTILINE)
)
OF_SCHEDULES = [
    name
    for name in EXAMPLES
    if name.split(".")[0] in {*schedule_shapes.ScheduleIn.model_fields, "rate"}
]
OF_TASKS = [
    name
    for name in EXAMPLES
    if name.split(".")[0] in {*schedule_shapes.TaskIn.model_fields, "rate"}
]


def holds(shown: Any, wanted: Any) -> bool:
    """Tells whether what is shown has all that was wanted; defaults may stand beside it."""
    if isinstance(wanted, dict) and isinstance(shown, dict):
        return all(holds(shown.get(name), value) for name, value in wanted.items())
    return bool(shown == wanted)


def test_every_field_has_its_words_and_nothing_else_has() -> None:
    written = {*schedule_shapes.ScheduleIn.model_fields, *schedule_shapes.TaskIn.model_fields}

    assert written == NAMES
    assert set(field_texts.TEXTS["shown"]) == (SCHEDULE_READ_ONLY | TASK_READ_ONLY) - {"status"}
    for part, shape in (
        ("retry", schedule_shapes.Backoff),
        ("concurrency_key", schedule_shapes.ConcurrencyKey),
        ("rate", schedule_shapes.Rate),
    ):
        assert set(field_texts.TEXTS[part]) == set(shape.model_fields)


def test_every_field_stands_on_the_page_with_an_example() -> None:
    parts = [f"{part}.{name}" for part in PARTS for name in field_texts.TEXTS[part]]

    assert set(EXAMPLES) == {*NAMES, *parts}
    assert set(OF_SCHEDULES) | set(OF_TASKS) == set(EXAMPLES)


@pytest.mark.deep
@pytest.mark.parametrize("name", OF_SCHEDULES)
def test_an_example_of_the_page_makes_a_schedule(api: Api, name: str) -> None:
    example = json.loads(EXAMPLES[name])
    holiday = {"calendar_id": "holidays", "timezone": "UTC", "dates": ["2026-12-25"]}
    assert api.call("POST /v1/calendars", holiday).status == 201
    base = {"every_sec": None, "cron": None} if "every_sec" in example else {}

    made = api.call("POST /v1/schedules", SCHEDULE | {"name": "report"} | base | example)

    assert made.status == 201, made.text
    assert holds(made.body, example)
    kept = api.call(f"GET /v1/schedules/{made.body['task_id']}").body
    assert holds(kept, example)


@pytest.mark.parametrize("name", OF_TASKS)
def test_an_example_of_the_page_makes_a_task(api: Api, name: str) -> None:
    example = json.loads(EXAMPLES[name])

    made = api.call("POST /v1/tasks", TASK | example)

    assert made.status == 201, made.text
    assert holds(made.body, {field: example[field] for field in example.keys() - NOT_SHOWN})


def test_a_schedule_that_says_nothing_has_the_defaults_of_the_page(api: Api) -> None:
    made = api.schedule()

    written = json.loads(OPENAPI.read_text(encoding="utf-8"))["components"]["schemas"]
    told = {
        name: field["default"]
        for name, field in written["ScheduleIn"]["properties"].items()
        if "default" in field
    }
    assert {"misfire", "overlap", "max_attempts", "retry", "pause_after_deaths"} <= set(told)
    assert holds(made, told)
    assert told.items() <= DEFAULTS.items()


def test_the_document_tells_of_every_field_what_the_page_tells() -> None:
    schemas = json.loads(OPENAPI.read_text(encoding="utf-8"))["components"]["schemas"]

    for shape in ("ScheduleIn", "SchedulePatch", "ScheduleFields", "TaskIn", "Backoff", "Rate"):
        for name, field in schemas[shape]["properties"].items():
            assert field["description"], (shape, name)
            assert field["examples"], (shape, name)
    for shape in ("Schedule", "Task", "ScheduleEntry", "TaskEntry"):
        assert all(field["description"] for field in schemas[shape]["properties"].values())
