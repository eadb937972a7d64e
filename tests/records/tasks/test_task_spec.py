"""A spec is read as it was written, and what only the API or another version knows is kept."""

from __future__ import annotations

import pytest

from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.tasks.task_spec import Retry, parse
from tests.schedule.samples import task

TASKS = {
    "plain": task(),
    "unbounded": task(overlap="allow", max_concurrent=None),
    "rich": task(
        payload={"list": [1, {"deep": None}], "half": 0.5},
        retry=Retry(backoff="fixed", base_sec=1, cap_sec=2, jitter="none"),
        max_runs=7,
        priority=1,
        status="paused",
        paused_at=5,
    ),
    "a list": task(payload=[1, 2]),
    "shown": task(shown={"cron": "0 9 * * *", "tags": {"team": "billing"}}),
}


@pytest.mark.parametrize("name", TASKS)
def test_what_is_written_is_read(name: str) -> None:
    item = plain_item(typed_item(TASKS[name].item()))

    assert parse(item) == TASKS[name]


def test_what_another_version_wrote_is_written_again() -> None:
    item = task().item() | {"novel": 1}

    assert parse(item).item() == item


@pytest.mark.parametrize(("priority", "queue"), [(1, "high"), (2, "normal"), (3, "low")])
def test_a_priority_has_a_queue_of_its_own(priority: int, queue: str) -> None:
    assert task(priority=priority).queue == queue
