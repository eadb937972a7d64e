"""Finds when a run's task last succeeded before the run."""

from __future__ import annotations

from onthedot.records.keys import is_slot_key, row_of
from onthedot.records.runs import run_row
from onthedot.records.runs.run_status import Status
from onthedot.schedule.time.instants import moment
from onthedot.store import table_reads

_LOOK_BACK_MAX = 200


def previous_success(run_id: str) -> str | None:
    """Returns the slot of that run, or a manual run's due time, among the latest 200 rows."""
    task_id, key = row_of(run_id)
    before = table_reads.rows(
        ("task_id", task_id), "scheduled_for", ("0", key), newest_first=True, page=20
    )
    for item, _ in zip(before, range(_LOOK_BACK_MAX), strict=False):
        run = run_row.readable(item) if "life" in item else None
        if run and run.key != key and run.life.status == Status.SUCCEEDED:
            slot = run.key if is_slot_key(run.key) else run.slot
            return slot or moment(run.life.due_first_ms)
    return None
