"""A table is walked in segments side by side, and each item comes once."""

from __future__ import annotations

import pytest

from onthedot.records.keys import item_key
from onthedot.store import aws, full_scan, table_reads
from tests.simulation.stage import Stage

ITEMS = 40


@pytest.mark.parametrize("page", [None, 1, 3])
@pytest.mark.parametrize("width", [1, 5])
def test_each_item_comes_once_whatever_the_pages_and_the_segments(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, page: int | None, width: int
) -> None:
    for number in range(ITEMS):
        table_reads.put("runs", {**item_key(f"task-{number}", "-"), "number": number})
    monkeypatch.setattr(aws, "width", lambda: width)
    stage.world.store.page_max = page

    found = [item["number"] for item in full_scan.items("runs")]

    assert sorted(found) == list(range(ITEMS))
    scans = [entry for entry in stage.world.trace if entry[2] == "scan"]
    assert {entry[3]["TotalSegments"] for entry in scans} <= {width}
