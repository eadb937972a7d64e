"""What a calendar excludes is kept as it was written, and refused if it cannot mean anything."""

from __future__ import annotations

import pytest

from onthedot.schedule.blackouts import blackout, calendars_of, closing
from onthedot.schedule.expression.errors import ScheduleError
from tests.schedule.samples import NOON


def test_it_is_written_as_it_was_said() -> None:
    days, hours = blackout("days", dates=["2026-11-18"]), blackout("hours", cron="* 12 * * *")

    assert days == {"name": "days", "timezone": "UTC", "dates": ["2026-11-18"], "cron": ""}
    assert hours == {"name": "hours", "timezone": "UTC", "dates": [], "cron": "* 12 * * *"}


def test_what_it_cannot_mean_is_refused_before_it_is_kept() -> None:
    with pytest.raises(ScheduleError):
        blackout("days", dates=["2026-02-30"])


def test_the_first_that_excludes_a_slot_is_named() -> None:
    known = calendars_of(
        [
            blackout("night", cron="* 0-5 * * *"),
            blackout("noon", cron="* 12 * * *"),
            blackout("day", dates=["2026-11-18"]),
        ]
    )

    assert closing(known, NOON) == "noon"
    assert closing(known, NOON - 1) == "day"
    assert closing(known, NOON + 86_400) == "noon"
    assert closing(known, NOON + 90_000) == ""
    assert closing((), NOON) == ""
