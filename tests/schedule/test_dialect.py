"""Every dialect of rule 8 is read as its authors mean it, and into the same masks."""

from __future__ import annotations

import pytest

from onthedot.schedule.expression.cron import EVERY_YEAR, Cron, Every, parse
from onthedot.schedule.expression.dialect import YEAR_MIN
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.instants import nominal, parse_instant

SUNDAY, MONDAY, FRIDAY, SATURDAY = 1 << 0, 1 << 1, 1 << 5, 1 << 6


def cron(text: str, seconds: str = "first") -> Cron:
    rule = parse(text, seconds=seconds)
    assert isinstance(rule, Cron)
    return rule


@pytest.mark.parametrize(
    ("macro", "written"),
    [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("  @Daily ", "0 0 * * *"),
    ],
)
def test_a_macro_is_the_expression_it_stands_for(macro: str, written: str) -> None:
    assert parse(macro) == parse(written)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0 9 * * mon-fri", "0 9 * * MON-FRI"),
        ("0 9 * * Mon", "0 9 * * 1"),
        ("\t0  9 *\n* 1 ", "0 9 * * 1"),
        ("0 0 9 * * 1", "0 9 * * 1"),
        ("0 0 9 * * 1 *", "0 9 * * 1"),
        ("0 0 9 * * 1 1970-2199", "0 9 * * 1"),
        ("0 9 ? * 1", "0 9 * * 1"),
        ("0 9 1 * ?", "0 9 1 * *"),
        ("cron(0 9 ? * MON-FRI *)", "0 9 ? * MON-FRI"),
        ("CRON( 0 9 ? * mon-fri * ) ", "0 9 ? * MON-FRI"),
        ("cron (0 9 1 * ? *)", "0 9 1 * ?"),
    ],
)
def test_spellings_of_one_thing_are_one_thing(one: str, other: str) -> None:
    assert parse(one) == parse(other)


@pytest.mark.parametrize("year", ["", " 2030"])
def test_seconds_stand_first_unless_said_to_stand_last(year: str) -> None:
    first, last = f"*/20 5 4 3 2 1{year}", f"5 4 3 2 1 */20{year}"

    assert cron(first) == cron(last, "last")
    assert cron(first).seconds == 1 | 1 << 20 | 1 << 40
    assert cron(first).minutes == 1 << 5


@pytest.mark.parametrize("seconds", ["first", "last"])
def test_five_fields_fire_at_second_zero_wherever_the_seconds_would_stand(seconds: str) -> None:
    assert cron("5 4 * * *", seconds).seconds == 1


def test_a_seventh_field_is_the_year_and_comes_last() -> None:
    rule = cron("0 0 0 1 1 ? 2030,2199")

    assert rule.years == 1 << (2030 - YEAR_MIN) | 1 << (2199 - YEAR_MIN)
    assert cron("0 0 0 1 1 ?").years == EVERY_YEAR


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("@every 90s", 90),
        ("@every 1h30m", 5400),
        ("@EVERY  2D", 172_800),
        ("@every 1w", 604_800),
        ("@every 366d", 31_622_400),
        ("@every 1s", 1),
        ("rate(1 minute)", 60),
        ("rate(5 minutes)", 300),
        ("Rate( 2 hours )", 7200),
        ("rate(7 days)", 604_800),
    ],
)
def test_elapsed_time_is_so_many_seconds(text: str, seconds: int) -> None:
    assert parse(text) == Every(seconds)


@pytest.mark.parametrize("text", ["@every 7m", "rate(7 minutes)"])
def test_elapsed_time_is_anchored_to_the_epoch_whatever_the_zone(text: str) -> None:
    schedule = compile_schedule(text, timezone="America/New_York")
    fire = schedule.next(parse_instant("2027-03-14T06:58:00Z", "after"))

    assert fire is not None
    assert fire % 420 == 0


@pytest.mark.parametrize(
    ("weekday", "mask"),
    [
        ("1", SUNDAY),
        ("2", MONDAY),
        ("7", SATURDAY),
        ("SUN", SUNDAY),
        ("L", SATURDAY),
        ("2-6", 0b0111110),
        ("7-2", SATURDAY | SUNDAY | MONDAY),
        ("1/2", SUNDAY | 1 << 2 | 1 << 4 | SATURDAY),
        ("6/1", FRIDAY | SATURDAY),
        ("MON,6", MONDAY | FRIDAY),
    ],
)
def test_aws_counts_its_days_from_sunday_as_one(weekday: str, mask: int) -> None:
    assert cron(f"cron(0 10 ? * {weekday} *)").weekdays == mask


@pytest.mark.parametrize(
    ("aws", "ours"),
    [("6L", "5L"), ("L6", "L5"), ("FRIL", "L5"), ("3#2", "2#2"), ("TUE#2", "2#2")],
)
def test_aws_counts_the_days_of_its_marks_likewise(aws: str, ours: str) -> None:
    assert cron(f"cron(0 10 ? * {aws} *)").nth == cron(f"0 10 ? * {ours}").nth


@pytest.mark.parametrize("days", ["* * *", "? * ?", "1 * 2", "1 * *", "* * 2"])
def test_aws_wants_one_question_mark_among_its_day_fields(days: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse(f"cron(0 10 {days} *)")

    assert caught.value.field == "day_of_week"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("at(2027-02-03T10:20:30)", "2027-02-03T10:20:30Z"),
        ("AT( 2027-02-03t10:20 )", "2027-02-03T10:20:00Z"),
        ("at(2028-02-29T9:00:00)", "2028-02-29T09:00:00Z"),
    ],
)
def test_at_fires_once(text: str, instant: str) -> None:
    schedule = compile_schedule(text)
    fires = list(schedule.slots(0))

    assert [nominal(fire) for fire in fires] == [instant]


def test_at_is_read_in_the_zone_of_the_schedule() -> None:
    schedule = compile_schedule("at(2027-02-03T10:20:30)", timezone="America/New_York")

    assert [nominal(fire) for fire in schedule.slots(0)] == ["2027-02-03T15:20:30Z"]


@pytest.mark.parametrize("field", ["R * * * *", "0 R(1-5) * * *", "0 0 R/2 * *", "0 0 * * R"])
def test_a_random_field_is_refused_in_favour_of_a_stable_one(field: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse(field)

    assert caught.value.code == "unsupported"
    assert caught.value.suggestion is not None
    assert "H" in caught.value.suggestion
