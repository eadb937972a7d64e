"""Every refusal names its code, its field, its place in the text, and what to write instead."""

from __future__ import annotations

import json

import pytest

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import compile_schedule

# The engine's codes of the vocabulary (objects §6).
CODES = set(
    "empty too_long not_ascii field_count bad_value out_of_range bad_step bad_name unsupported "
    "never_fires unknown_timezone fixed_offset_timezone abbreviated_timezone".split()
)

# Expression, code, field, the characters pointed at (None: nowhere), suggestion.
TABLE: list[tuple[str, str, str, str | None, str | None]] = [
    ("", "empty", "expression", None, "0 9 * * 1-5"),
    (" \t ", "empty", "expression", None, "0 9 * * 1-5"),
    ("* * * * *" + " " * 248, "too_long", "expression", " ", None),
    ("0 9 * * día", "not_ascii", "expression", "í", None),
    ("\uff13 * * * *", "not_ascii", "expression", "\uff13", None),
    ("5", "field_count", "expression", "5", None),
    ("0 9 * *", "field_count", "expression", "0 9 * *", "0 9 * * *"),
    ("0 0 0 * * * * *", "field_count", "expression", "0 0 0 * * * * *", None),
    ("cron(0 9 * * *)", "field_count", "expression", "cron(0 9 * * *)", "cron(0 10 ? * MON-FRI *)"),
    ("cron()", "field_count", "expression", "cron()", "cron(0 10 ? * MON-FRI *)"),
    ("60 * * * *", "out_of_range", "minute", "60", "0 * * * *"),
    ("61 * * * *", "out_of_range", "minute", "61", None),
    ("60 0 0 * * *", "out_of_range", "second", "60", "0 0 0 * * *"),
    ("0 24 * * *", "out_of_range", "hour", "24", "0 0 * * *"),
    ("0 0-24 * * *", "out_of_range", "hour", "24", "0 0-23 * * *"),
    ("0 8-24/2 * * *", "out_of_range", "hour", "24", "0 8-23/2 * * *"),
    ("0 1,24 * * *", "out_of_range", "hour", "24", "0 1,0 * * *"),
    ("H(5-60) * * * *", "out_of_range", "minute", "60", "H(5-59) * * * *"),
    ("0 0 0 * *", "out_of_range", "day_of_month", "0", None),
    ("0 0 32 * *", "out_of_range", "day_of_month", "32", None),
    ("0 0 32W * *", "out_of_range", "day_of_month", "32", None),
    ("0 0 1 13 *", "out_of_range", "month", "13", None),
    ("0 0 * * 8", "out_of_range", "day_of_week", "8", "0 0 * * 0"),
    ("0 0 * * 8#1", "out_of_range", "day_of_week", "8", "0 0 * * 0#1"),
    ("0 0 * * 1#6", "out_of_range", "day_of_week", "6", None),
    ("0 0 * * FRI#0", "out_of_range", "day_of_week", "0", None),
    ("cron(0 9 ? * 0 *)", "out_of_range", "day_of_week", "0", None),
    ("0 0 0 * * * 1969", "out_of_range", "year", "1969", None),
    ("0 0 0 * * * 2200", "out_of_range", "year", "2200", None),
    ("at(2027-13-03T10:00:00)", "out_of_range", "month", "13", None),
    ("at(2027-02-03T24:00:00)", "out_of_range", "hour", "24", "at(2027-02-03T0:00:00)"),
    ("@every 0s", "out_of_range", "expression", "@every 0s", None),
    ("@every 367d", "out_of_range", "expression", "@every 367d", None),
    (" rate(0 minutes)", "out_of_range", "expression", "rate(0 minutes)", None),
    ("5/0 * * * *", "bad_step", "minute", "0", "5/1 * * * *"),
    ("H/0 * * * *", "bad_step", "minute", "0", "H/1 * * * *"),
    ("*/ * * * *", "bad_step", "minute", "*/", None),
    ("*/x * * * *", "bad_step", "minute", "*/x", None),
    ("*/-5 * * * *", "bad_step", "minute", "*/-5", None),
    ("0 0 * JANUARY *", "bad_name", "month", "JANUARY", "0 0 * JAN *"),
    ("0 0 * * Sunday-Tues", "bad_name", "day_of_week", "Sunday", "0 0 * * SUN-Tues"),
    ("0 0 * * XYZ", "bad_name", "day_of_week", "XYZ", None),
    ("0 0 * * 1,LUN", "bad_name", "day_of_week", "LUN", None),
    ("0 noon * * *", "bad_name", "hour", "noon", None),
    ("@hourlyy", "bad_name", "expression", "@hourlyy", "@hourly"),
    ("@fortnightly", "bad_name", "expression", "@fortnightly", None),
    ("5,,6 * * * *", "bad_value", "minute", "", None),
    ("5, * * * *", "bad_value", "minute", "", None),
    ("-5 * * * *", "bad_value", "minute", "-5", None),
    ("5- * * * *", "bad_value", "minute", "5-", None),
    ("0 0 * * MON-", "bad_value", "day_of_week", "MON-", None),
    ("1.5 * * * *", "bad_value", "minute", "1.5", None),
    ("*5 * * * *", "bad_value", "minute", "*5", None),
    ("*-5 * * * *", "bad_value", "minute", "*-5", None),
    ("? 0 * * *", "bad_value", "minute", "?", "* 0 * * *"),
    ("0 0 ?,5 * *", "bad_value", "day_of_month", "?", "0 0 *,5 * *"),
    ("0 0 W15 * *", "bad_value", "day_of_month", "W15", None),
    ("0 0 1#1 * *", "bad_value", "day_of_month", "1#1", None),
    ("0 0 * * *#1", "bad_value", "day_of_week", "*#1", None),
    ("0 0 * * L", "bad_value", "day_of_week", "L", "0 0 * * 5L"),
    ("H(9-3) * * * *", "bad_value", "minute", "9-3", "H(3-9) * * * *"),
    ("0 H(9-3)/2 * * *", "bad_value", "hour", "9-3", "0 H(3-9)/2 * * *"),
    ("H(3) * * * *", "bad_value", "minute", "H(3)", "H * * * *"),
    ("@every 1.5h", "bad_value", "expression", "@every 1.5h", "@every 90s"),
    ("rate(5 fortnights)", "bad_value", "expression", "rate(5 fortnights)", "rate(5 minutes)"),
    ("at(tomorrow)", "bad_value", "expression", "at(tomorrow)", "at(2026-11-20T13:00:00)"),
    ("cron(0 9 ? * 1 *", "bad_value", "expression", "cron(0 9 ? * 1 *", "cron(0 10 ? * MON-FRI *)"),
    ("cron(0 9 * * * *)", "bad_value", "day_of_week", "*", "cron(0 9 * * ? *)"),
    ("cron(0 9 ? * ? *)", "bad_value", "day_of_week", "?", "cron(0 9 ? * * *)"),
    ("R 0 * * *", "unsupported", "minute", "R", "H 0 * * *"),
    ("0 R(1-5) * * *", "unsupported", "hour", "R(1-5)", "0 H * * *"),
    ("0 0 0 * * * R", "unsupported", "year", "R", "0 0 0 * * * *"),
    ("0 0 0 * * * H", "unsupported", "year", "H", "0 0 0 * * * *"),
    ("0 0 L-3 * *", "unsupported", "day_of_month", "L-3", None),
    ("0 L * * *", "unsupported", "hour", "L", None),
    ("TZ=Europe/Paris 0 9 * * *", "unsupported", "expression", "TZ=Europe/Paris", "0 9 * * *"),
    (" cron_tz=UTC @daily", "unsupported", "expression", "cron_tz=UTC", "@daily"),
    ("TZ=UTC", "unsupported", "expression", "TZ=UTC", None),
    ("@reboot", "unsupported", "expression", "@reboot", None),
    ("0 0 31 2 *", "never_fires", "day_of_month", "31", "0 0 28 2 *"),
    ("0 0 30,31 feb *", "never_fires", "day_of_month", "30,31", "0 0 28 feb *"),
    ("0 0 31 4,6,9,11 ?", "never_fires", "day_of_month", "31", "0 0 30 4,6,9,11 ?"),
    ("at(2027-02-30T10:00:00)", "never_fires", "day_of_month", "30", "at(2027-02-28T10:00:00)"),
    ("0 0 0 29 2 * 2027", "never_fires", "year", "2027", None),
    ("0 0 */31 2 1#5", "never_fires", "day_of_month", "*/31", None),
    ("cron(0 0 30 2 ? *)", "never_fires", "day_of_month", "30", "cron(0 0 28 2 ? *)"),
]
ZONES = [
    ("Mars/Olympus", "unknown_timezone"),
    ("+05:00", "fixed_offset_timezone"),
    ("EST", "abbreviated_timezone"),
]


def refused(text: str, timezone: str = "UTC") -> ScheduleError:
    with pytest.raises(ScheduleError) as caught:
        compile_schedule(text, timezone=timezone)
    return caught.value


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_a_mistake_is_named_placed_and_answered(
    row: tuple[str, str, str, str | None, str | None],
) -> None:
    text, *expected = row
    error = refused(text)
    pointed = None if error.position is None else text[slice(*error.position)]

    assert [error.code, error.field, pointed, error.suggestion] == expected


@pytest.mark.parametrize("text", [text for text, *_ in TABLE if "Sunday-Tues" not in text])
def test_what_is_suggested_compiles(text: str) -> None:
    suggestion = refused(text).suggestion

    assert suggestion is None or compile_schedule(suggestion)


def test_of_two_mistakes_the_first_is_told_and_then_the_second() -> None:
    first = refused("0 0 * * Sunday-Tues")
    second = refused(first.suggestion or "")

    assert second.suggestion == "0 0 * * SUN-TUE"


@pytest.mark.parametrize(("timezone", "code"), ZONES)
def test_a_zone_is_refused_in_the_field_of_the_zone(timezone: str, code: str) -> None:
    error = refused("0 9 * * *", timezone)

    assert (error.code, error.field, error.position) == (code, "timezone", None)


def test_every_code_of_the_vocabulary_occurs_and_no_other() -> None:
    told = {code for _, code, *_ in TABLE} | {code for _, code in ZONES}

    assert told == CODES


@pytest.mark.parametrize("text", [text for text, *_ in TABLE])
def test_the_message_is_a_sentence_and_the_whole_is_json(text: str) -> None:
    error = refused(text)

    assert error.message.endswith(".")
    assert str(error) == error.message
    assert set(json.loads(json.dumps(error.as_json()))) == {
        "code",
        "message",
        "field",
        "position",
        "suggestion",
    }


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"seconds": "middle"}, "seconds"),
        ({"dst_mode": "fuzzy"}, "dst_mode"),
        ({"dst_gap": "jump"}, "dst_gap"),
        ({"dst_overlap": "none"}, "dst_overlap"),
    ],
)
def test_an_unknown_choice_is_answered_with_the_default(choice: dict[str, str], field: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        compile_schedule("0 9 * * *", **choice)  # type: ignore[arg-type] # words only

    assert (caught.value.code, caught.value.field) == ("bad_value", field)
    assert compile_schedule("0 9 * * *", **{field: caught.value.suggestion})  # type: ignore[arg-type] # words only


@pytest.mark.parametrize("jitter_sec", [-1, 86_401, 10**30])
def test_a_jitter_is_at_most_a_day(jitter_sec: int) -> None:
    with pytest.raises(ScheduleError) as caught:
        compile_schedule("0 9 * * *", jitter_sec=jitter_sec)

    assert (caught.value.code, caught.value.field) == ("out_of_range", "jitter_sec")


def test_an_end_before_the_start_is_refused() -> None:
    with pytest.raises(ScheduleError) as caught:
        compile_schedule("0 9 * * *", start_at=1_800_000_001, end_at=1_800_000_000)

    assert (caught.value.code, caught.value.field) == ("out_of_range", "end_at")


@pytest.mark.parametrize(
    "text", ["0 0 31 2 1", "0 0 30 2 1", "0 0 31 4 MON#1", "0 0 29 2 *", "0 0 31W 2 *", "0 0 L 2 1"]
)
def test_a_date_that_never_comes_is_no_fault_where_a_day_of_the_week_does(text: str) -> None:
    assert compile_schedule(text).next(0) is not None


# What a tired reader is told, word for word where a word was once misread.
SAID = [
    (
        "TZ=Europe/Paris 0 9 * * *",
        "The time zone is a field of its own: write timezone 'Europe/Paris', and leave 'TZ=Europe",
    ),
    ("0 0 * * Lunes", "'Lunes' is not a day: expected SUN to SAT or a number from 0 to 7."),
    ("0 noon * * *", "'noon' is not an hour: expected a number from 0 to 23."),
    ("*/x * * * *", "The step 'x' is not a whole number: expected one such as 5 in */5."),
    (
        "0 0 l-3 * *",
        "In the day of the month write L for the last day, or LW for the last weekday.",
    ),
    ("0 0 31 4,6 *", "April and June have no day 31."),
    ("@Fortnightly", "'@Fortnightly' is not known: expected @hourly, @daily, @weekly, @monthly, "),
]


@pytest.mark.parametrize(("text", "said"), SAID)
def test_a_sentence_says_what_is_wrong_in_the_words_that_were_written(text: str, said: str) -> None:
    assert refused(text).message.startswith(said)
