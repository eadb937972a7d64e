"""How far back a run may be open that keeps a schedule from being completed."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.tasks.exhausted_schedules import oldest_open
from onthedot.records.tasks.task_spec import Retry
from onthedot.schedule.time.instants import nominal
from tests.schedule.samples import NOON, SLOT, task

DAY_SEC = 86_400


def test_a_run_is_looked_for_as_far_back_as_its_last_attempt_may_reach() -> None:
    """Its slot may be jittered by a day and claimed within the grace; each attempt may wait."""
    slow = replace(
        task(), misfire_grace_sec=3_600, max_attempts=3, timeout_sec=600, retry=Retry(cap_sec=60)
    )
    quick = replace(slow, max_attempts=1)

    assert oldest_open(slow, SLOT) == nominal(NOON - DAY_SEC - 3_600 - 150 - 3 * 660)
    assert oldest_open(quick, f"{SLOT}~m1") == nominal(NOON - DAY_SEC - 3_600 - 150 - 660)
