"""The coming changes of the clock are announced where they touch a slot, and only there."""

from __future__ import annotations

import pytest

from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.instants import parse_instant
from onthedot.schedule.words.expression_warnings import changes_ahead

AFTER = "2026-11-18T00:00:00Z"
GAP, TWICE = "dst_gap", "dst_overlap"

TABLE = [
    (
        "30 2 * * *",
        "America/New_York",
        {},
        [(GAP, "On 2027-03-14 02:30 does not exist; fires at 03:00 EDT.")],
    ),
    (
        "30 2 * * *",
        "America/New_York",
        {"dst_gap": "skip"},
        [(GAP, "On 2027-03-14 02:30 does not exist; it is skipped.")],
    ),
    (
        "30 2 * * *",
        "America/New_York",
        {"dst_gap": "shift"},
        [(GAP, "On 2027-03-14 02:30 does not exist; fires at 03:30 EDT.")],
    ),
    (
        "30 1 * * *",
        "America/New_York",
        {},
        [(TWICE, "On 2027-11-07 01:30 comes twice; fires at the first, EDT.")],
    ),
    (
        "30 1 * * *",
        "America/New_York",
        {"dst_overlap": "last"},
        [(TWICE, "On 2027-11-07 01:30 comes twice; fires at the second, EST.")],
    ),
    (
        "30 1 * * *",
        "America/New_York",
        {"dst_overlap": "both"},
        [(TWICE, "On 2027-11-07 01:30 comes twice; fires at both.")],
    ),
    (
        "45 1 * * *",
        "Australia/Lord_Howe",
        {},
        [(TWICE, "On 2027-04-04 01:45 comes twice; fires at the first, +11.")],
    ),
    (
        "0 0-3 * * *",
        "Europe/London",
        {},
        [
            (GAP, "On 2027-03-28 01:00 does not exist; fires at 02:00 BST."),
            (TWICE, "On 2027-10-31 01:00 comes twice; fires at the first, BST."),
        ],
    ),
    ("0 9 * * *", "America/New_York", {}, []),
    ("30 2 * * 1", "America/New_York", {}, []),
    ("30 2 * * 1", "America/New_York", {"dst_gap": "skip"}, []),
    ("*/15 * * * *", "America/New_York", {}, []),
    ("30 2 * * *", "America/New_York", {"dst_mode": "interval"}, []),
    ("@every 1h", "America/New_York", {}, []),
    ("30 2 * * *", "Asia/Tokyo", {}, []),
]


@pytest.mark.parametrize(("text", "zone", "choices", "expected"), TABLE)
def test_the_first_change_of_a_kind_that_touches_a_slot_is_announced(
    text: str, zone: str, choices: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    schedule = compile_schedule(text, timezone=zone, **choices)  # type: ignore[arg-type] # words only
    changes = changes_ahead(schedule, parse_instant(AFTER, "after"))

    assert [(change.code, change.detail) for change in changes] == expected


@pytest.mark.parametrize("gap", ["fire", "skip", "shift"])
@pytest.mark.parametrize(
    "bounds",
    [
        {"end_at": parse_instant("2027-03-13T00:00:00Z", "end_at")},
        {"start_at": parse_instant("2027-03-15T00:00:00Z", "start_at")},
    ],
)
def test_a_change_outside_the_bounds_is_not_announced(gap: str, bounds: dict[str, int]) -> None:
    schedule = compile_schedule("30 2 * * *", timezone="America/New_York", dst_gap=gap, **bounds)  # type: ignore[arg-type] # instants only
    changes = changes_ahead(schedule, parse_instant(AFTER, "after"))

    assert changes == []


def test_changes_are_announced_a_year_ahead_and_no_further() -> None:
    schedule = compile_schedule("30 2 * * *", timezone="America/New_York")
    day_after = parse_instant("2027-03-15T00:00:00Z", "after")

    assert [f"{change.day:%Y-%m-%d}" for change in changes_ahead(schedule, day_after)] == [
        "2028-03-12"
    ]
    assert changes_ahead(schedule, day_after - 14 * 86_400)[0].day.year == 2027
