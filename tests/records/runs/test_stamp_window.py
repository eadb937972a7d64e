"""Which runs an edit stamps, and which other runs a worker must check again."""

from __future__ import annotations

import pytest

from onthedot.records.runs.edited_slots import surely_within, window
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.schedule.samples import NOON, task

_HOUR_SEC = 3_600


def test_an_edit_looks_as_far_as_a_run_may_be_put_off() -> None:
    told = window(task(misfire_grace_sec=_HOUR_SEC), NOON)

    assert told == ("2026-11-17T10:57:30Z", "2026-11-19T12:02:30Z")


@pytest.mark.parametrize(
    ("after_sec", "sure"), [(-1, False), (0, False), (_HOUR_SEC - 1, False), (_HOUR_SEC, True)]
)
def test_what_an_edit_of_an_hour_ago_could_have_missed_is_not_sure(
    after_sec: int, *, sure: bool
) -> None:
    oldest = parse_nominal(window(task(), NOON)[0])

    assert surely_within(nominal(oldest + after_sec), task(), NOON) is sure
