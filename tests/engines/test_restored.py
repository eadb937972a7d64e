"""A whole table is read page by page on each engine, and what was open in it is ended."""

from __future__ import annotations

import pytest

from onthedot.records.tasks.payloads import written
from onthedot.store import full_scan
from onthedot.upkeep.after_restore import end_what_was_open, start_from_now
from tests.engines.place import put, rows
from tests.engines.tasks import create, daily, last_minute, task

# With 30 kB each they fill more than a page of 1 MB.
MANY = 40
BALLAST = "x" * 30_000


@pytest.mark.usefixtures("place")
def test_all_pages_are_read() -> None:
    for number in range(MANY):
        put(task(number, "0 0 1 1 *", payload={"text": BALLAST}))

    found = [item for item in full_scan.items("tasks") if item["part"] == "spec"]

    assert len(found) == MANY
    assert {item["payload"] for item in found} == {written({"text": BALLAST})}


@pytest.mark.usefixtures("quick_place")
def test_what_is_overdue_goes_on_from_now() -> None:
    slot = last_minute() - 3_600
    overdue = put(daily(1, slot, misfire="all"), slot)
    create(task(2, "0 0 1 1 *"))

    assert list(end_what_was_open()) == []
    assert list(start_from_now()) == [overdue.task_id]

    assert list(start_from_now()) == []
    assert [run.life.status for run in rows(overdue.task_id).values()] == ["missed"]
