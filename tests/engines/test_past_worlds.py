"""Items of an earlier commit lie in a real engine: they are taken over as after a restore."""

from __future__ import annotations

import pytest

from onthedot.records.attributes import typed_item
from onthedot.records.runs import run_row
from onthedot.store import aws, full_scan
from onthedot.upkeep.after_restore import end_what_was_open, start_from_now
from tests.simulation.past.past_worlds import past_worlds

WORLD = past_worlds()["asked orders 2, 352 s"]


@pytest.mark.usefixtures("quick_place")
def test_what_was_open_ends_and_what_is_overdue_goes_on() -> None:
    for table in ("tasks", "runs"):
        for item in WORLD.items(table):
            aws.client("dynamodb").put_item(TableName=aws.table(table), Item=typed_item(item))
    due = {each["next_run_at"] for each in WORLD.items("tasks") if "due_shard" in each}

    ended = set(end_what_was_open())
    moved = set(start_from_now())

    rows = [run_row.parse(item) for item in full_scan.items("runs") if "life" in item]
    cursors = [item for item in full_scan.items("tasks") if "due_shard" in item]
    assert ended
    assert moved
    # What still runs has been asked to stop.
    assert all(each.final or each.cancel_ms for each in rows if each.run_id in ended)
    assert min(each["next_run_at"] for each in cursors) > max(due)
