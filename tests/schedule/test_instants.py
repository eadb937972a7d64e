"""Instants come in as RFC 3339 and go out as the vocabulary writes them."""

from __future__ import annotations

import pytest

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time.instants import clock_of_wall, local, measured, nominal, parse_instant
from onthedot.schedule.time.zones import zone

INSTANT = 1_795_010_400  # 2026-11-18T14:00:00Z


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-18T14:00:00Z",
        "2026-11-18T14:00:00.999Z",
        "2026-11-18T14:00:00+00:00",
        "2026-11-18T15:00:00+01:00",
        "2026-11-18T19:30:00+05:30",
        "2026-11-17T23:00:00-15:00",
        "2026-11-18 14:00:00Z",
        "2026-11-18t14:00:00z",
        "2026-11-18T14:00:00.123456789z",
        "2026-11-18T14:00Z",
    ],
)
def test_an_instant_is_read_with_z_or_an_offset(text: str) -> None:
    assert parse_instant(text, "after") == INSTANT


@pytest.mark.parametrize(
    ("text", "code", "suggestion"),
    [
        ("2026-11-18T14:00:00", "bad_value", "2026-11-18T14:00:00Z"),
        ("2026-11-18 14:00", "bad_value", "2026-11-18T14:00:00Z"),
        ("2026-11-18", "bad_value", "2026-11-18T00:00:00Z"),
        ("", "bad_value", None),
        ("tomorrow", "bad_value", None),
        ("1795010400", "bad_value", None),
        ("2026-02-30T00:00:00Z", "bad_value", None),
        ("2026-11-18T25:00:00Z", "bad_value", None),
        ("\ud800", "bad_value", None),
        ("2026-W47-3T14:00:00Z", "bad_value", None),
        ("2027-W01-1T00:00:00Z", "bad_value", None),
        ("2026W473T140000Z", "bad_value", None),
        ("2026-322T14:00:00Z", "bad_value", None),
        ("2026322T14:00:00Z", "bad_value", None),
        ("20261118T140000Z", "bad_value", None),
        ("20261118T14:00:00Z", "bad_value", None),
        ("2026-11-18T140000Z", "bad_value", None),
        ("2026-11-18T14:00:00+0000", "bad_value", None),
        ("2026-11-18T14:00:00+00", "bad_value", None),
        ("2026-11-18T14:00:00+00:00:01", "bad_value", None),
        ("2026-11-18T14:00:00,5Z", "bad_value", None),
        ("2026-11-18T14Z", "bad_value", None),
        ("2026-11-18_14:00:00Z", "bad_value", None),
        ("2026-11-18T14:00:00Z\n", "bad_value", None),
        ("\u0662\u0660\u0662\u0666-11-18T14:00:00Z", "bad_value", None),
        ("2026-11-18T14:00:00 Z", "bad_value", None),
        ("2026-11-18T24:00:00Z", "bad_value", None),
        ("x" * 10_000, "bad_value", None),
        ("1999-12-31T23:59:59Z", "out_of_range", None),
        ("2200-01-01T00:00:00Z", "out_of_range", None),
        ("2000-01-01T00:00:00+00:01", "out_of_range", None),
        ("0001-01-01T00:00:00+23:59", "out_of_range", None),
        ("9999-12-31T23:59:59-23:59", "out_of_range", None),
    ],
)
def test_what_is_no_instant_of_our_years_is_refused(
    text: str, code: str, suggestion: str | None
) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_instant(text, "start_at")

    assert (caught.value.code, caught.value.field) == (code, "start_at")
    assert caught.value.suggestion == suggestion
    assert suggestion is None or parse_instant(suggestion, "start_at")
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("text", ["2000-01-01T00:00:00Z", "2199-12-31T23:59:59Z"])
def test_the_first_and_the_last_second_of_our_years_come_back_as_they_went(text: str) -> None:
    assert nominal(parse_instant(text, "after")) == text


def test_a_slot_has_whole_seconds_and_a_measured_instant_three_decimals() -> None:
    assert nominal(INSTANT) == "2026-11-18T14:00:00Z"
    assert measured(INSTANT) == "2026-11-18T14:00:00.000Z"


@pytest.mark.parametrize(
    ("name", "instant", "shown"),
    [
        ("America/New_York", INSTANT, "Wed 2026-11-18 09:00 EST"),
        ("America/New_York", INSTANT + 20, "Wed 2026-11-18 09:00:20 EST"),
        ("Asia/Kolkata", INSTANT, "Wed 2026-11-18 19:30 IST"),
        ("Australia/Lord_Howe", INSTANT, "Thu 2026-11-19 01:00 +11"),
        ("UTC", 0, "Thu 1970-01-01 00:00 UTC"),
    ],
)
def test_a_wall_clock_is_shown_with_its_day_and_its_letters(
    name: str, instant: int, shown: str
) -> None:
    assert local(zone(name), instant) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(0, "00:00"), (9000, "02:30"), (9020, "02:30:20")])
def test_a_time_of_day_has_seconds_only_where_there_are_some(seconds: int, shown: str) -> None:
    assert clock_of_wall(seconds) == shown


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("2026-11-18T14:00:00.0000001Z", 1),
        ("2026-11-18T14:00:00.000000Z", 0),
        ("2026-11-18T14:00:00.7Z", 1),
        ("2026-11-18T14:00:00Z", 0),
    ],
)
def test_what_must_not_happen_before_an_instant_waits_for_the_next_whole_second(
    text: str, second: int
) -> None:
    whole = parse_instant("2026-11-18T14:00:00Z", "run_at")

    assert parse_instant(text, "run_at", not_before=True) == whole + second
    assert parse_instant(text, "run_at") == whole
