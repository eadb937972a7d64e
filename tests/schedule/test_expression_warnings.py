"""What is valid but often misread gets a warning, and nothing else does."""

from __future__ import annotations

import pytest

from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.instants import parse_instant
from onthedot.schedule.words.expression_warnings import Warned, warnings_of

AFTER = parse_instant("2026-11-18T00:00:00Z", "after")


def warned(text: str, timezone: str = "UTC", seconds: str = "first") -> list[Warned]:
    schedule = compile_schedule(text, timezone=timezone, seconds=seconds)
    return warnings_of(schedule, text, AFTER, seconds=seconds)


@pytest.mark.parametrize(
    "text",
    [
        "0 9 ? * 1",
        "0 9 ? * 1-5",
        "0 9 ? * MON,3",
        "0 9 ? * 7",
        "0 9 ? * 5L",
        "0 9 ? * L5",
        "0 9 ? * 2#1",
        "0 0 9 ? * 1",
        "0 0 9 ? * 1 *",
    ],
)
def test_a_question_mark_beside_a_day_number_is_warned_of(text: str) -> None:
    assert [warning.code for warning in warned(text)] == ["day_numbers"]


@pytest.mark.parametrize(
    "text",
    [
        "0 9 * * 1",
        "0 9 ? * MON",
        "0 9 ? * MON-FRI",
        "0 9 ? * MON#1",
        "0 9 ? * */2",
        "0 9 ? * MON-FRI/2",
        "0 9 1 * ?",
        "0 9 ? * *",
        "cron(0 9 ? * 1 *)",
        "cron(0 9 ? * 2#1 *)",
        "@weekly",
        "@every 90m",
        "at(2027-01-01T00:00:00)",
    ],
)
def test_names_and_what_counts_no_days_are_not(text: str) -> None:
    assert warned(text) == []


@pytest.mark.parametrize(
    ("text", "field", "only"),
    [
        ("*/90 * * * *", "minute", 0),
        ("*/60 * * * *", "minute", 0),
        ("0 */36 * * *", "hour", 0),
        ("0 0 */31 * *", "day_of_month", 1),
        ("0 0 1 */12 *", "month", 1),
        ("*/61 * * * * *", "second", 0),
    ],
)
def test_a_step_as_long_as_its_field_is_warned_of(text: str, field: str, only: int) -> None:
    warnings = warned(text)

    assert [warning.code for warning in warnings] == ["long_step"]
    assert f"the {field} field: only {only} matches" in warnings[0].detail


@pytest.mark.parametrize("text", ["*/59 * * * *", "0 */23 * * *", "0 0 */30 * *", "5/90 * * * *"])
def test_a_shorter_step_is_not(text: str) -> None:
    assert warned(text) == []


def test_the_seconds_are_looked_for_where_they_stand() -> None:
    assert "second" in warned("0 0 9 * * */90", seconds="last")[0].detail


def test_a_coming_change_of_the_clock_is_warned_of_with_its_date() -> None:
    assert warned("30 2 * * *", "America/New_York") == [
        Warned("dst_gap", "On 2027-03-14 02:30 does not exist; fires at 03:00 EDT.", "2027-03-14")
    ]
