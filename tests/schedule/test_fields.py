"""One field at a time: rule 7's ranges, wraps and steps, the marks of rule 8, and H."""

from __future__ import annotations

from collections import Counter

import pytest

from onthedot.schedule.expression.cron import Cron, parse
from onthedot.schedule.expression.stable_hash import spread
from onthedot.schedule.words.phrases import members

IDS = 10_000
# Every slot is expected 60,000 / 1,440 = 41.7 times: that one is never hit is 10**-15.
IDS_FOR_EVERY_SLOT = 60_000
MASKS = {"minute": 0, "hour": 1, "day_of_month": 2, "month": 3, "day_of_week": 4}


def compiled(text: str, seed: str = "") -> Cron:
    rule = parse(text, seed=seed)
    assert isinstance(rule, Cron)
    return rule


def values(field: str, written: str) -> list[int]:
    """Reads one field of five, the others being stars."""
    fields = ["*"] * 5
    fields[MASKS[field]] = written
    rule = compiled(" ".join(fields))
    return members((rule.minutes, rule.hours, rule.days, rule.months, rule.weekdays)[MASKS[field]])


@pytest.mark.parametrize(
    ("field", "written", "expected"),
    [
        ("minute", "5", [5]),
        ("minute", "05", [5]),
        ("minute", "5-5", [5]),
        ("minute", "5-5/3", [5]),
        ("minute", "1,3,3,2", [1, 2, 3]),
        ("minute", "10-20/5", [10, 15, 20]),
        ("minute", "10-22/5", [10, 15, 20]),
        ("minute", "59/15", [59]),
        ("minute", "40/15", [40, 55]),
        ("minute", "50-10/7", [4, 50, 57]),
        ("minute", "58-1", [0, 1, 58, 59]),
        ("minute", "*/25", [0, 25, 50]),
        ("minute", "*/90", [0]),
        ("minute", "*/99999999999999999999999999", [0]),
        ("hour", "22-4/3", [1, 4, 22]),
        ("hour", "9-9", [9]),
        ("hour", "23-0", [0, 23]),
        ("hour", "8-18/2,20", [8, 10, 12, 14, 16, 18, 20]),
        ("day_of_month", "30-2", [1, 2, 30, 31]),
        ("day_of_month", "29-5/3", [1, 4, 29]),
        ("day_of_month", "25/3", [25, 28, 31]),
        ("month", "JAN,mar,12", [1, 3, 12]),
        ("month", "nov-feb", [1, 2, 11, 12]),
        ("month", "10-3/2", [2, 10, 12]),
        ("month", "feb/5", [2, 7, 12]),
        ("day_of_week", "7", [0]),
        ("day_of_week", "0,7", [0]),
        ("day_of_week", "7-7", [0]),
        ("day_of_week", "7-1", [0, 1]),
        ("day_of_week", "6-7", [0, 6]),
        ("day_of_week", "5-7/2", [0, 5]),
        ("day_of_week", "sat-thu/2", [1, 3, 6]),
        ("day_of_week", "SUN-SAT", [0, 1, 2, 3, 4, 5, 6]),
        ("day_of_week", "0-7", [0, 1, 2, 3, 4, 5, 6]),
        ("day_of_week", "1-7", [0, 1, 2, 3, 4, 5, 6]),
        ("day_of_week", "6/1", [6]),
        ("day_of_week", "MON/2", [1, 3, 5]),
    ],
)
def test_a_field_holds_what_cron_reads_in_it(field: str, written: str, expected: list[int]) -> None:
    assert values(field, written) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0-59 * * * *", "0/1 * * * *"),
        ("5-4 * * * *", "0-59 * * * *"),
        ("0 0 * 1-12 *", "0 0 * * *"),
        ("0 0 1 * 1-7", "0 0 1 * 0-6"),
        ("0 0 31W * *", "0 0 LW * *"),
        ("0 0 * * L5", "0 0 * * 5L"),
        ("0 0 * * fril", "0 0 * * 5L"),
        ("0 0 * * 7L", "0 0 * * 0L"),
        ("0 0 * * mon#1", "0 0 * * 1#1"),
        ("0 0 * * 7#2", "0 0 * * SUN#2"),
        ("0 0 * * MON-WED#1", "0 0 * * 1#1,2#1,3#1"),
        ("0 0 * * 6-0#5", "0 0 * * 6#5,0#5"),
    ],
)
def test_spellings_of_one_set_are_one_mask(one: str, other: str) -> None:
    assert compiled(one) == compiled(other)


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("0 0 1 * 1", False),
        ("0 0 */2 * 1", True),
        ("0 0 1 * */2", True),
        ("0 0 ? * 1", True),
        ("0 0 *,5 * 1", True),
        ("0 0 5,*/2 * 1", False),
        ("0 0 1-31 * 1", False),
        ("0 0 L * FRI#1", False),
    ],
)
def test_both_day_fields_must_match_when_either_begins_with_a_star(
    text: str, *, both: bool
) -> None:
    assert compiled(text).both_days is both


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("* * * * *", True),
        ("*/15 9 * * *", True),
        ("0 * * * *", True),
        ("0 */6 * * *", True),
        ("*,7 9 * * *", True),
        ("0 9 * * *", False),
        ("0/15 0-23 * * *", False),
        ("7,*/15 9 * * *", False),
        ("H H * * *", False),
        ("* 0 9 * * *", False),
        ("*/20 * 9 * * *", True),
        ("@hourly", True),
        ("@daily", False),
        ("cron(0/15 * ? * * *)", True),
    ],
)
def test_an_interval_begins_its_minute_or_its_hour_with_a_star(
    text: str, *, interval: bool
) -> None:
    assert compiled(text).starred is interval


def test_marks_mix_with_numbers_in_one_list() -> None:
    rule = compiled("0 0 L,15W,3,LW * 1#1,L5,3")

    assert rule.days == 1 | 1 << 3
    assert rule.nearest == 1 << 15 | 1 << 31
    assert rule.weekdays == 1 << 3
    assert members(rule.nth) == [1 * 6, 5 * 6 + 5]


def test_h_is_the_hash_that_the_vocabulary_writes_down() -> None:
    seed = "sch_01JD3Z8QK5M7V2X9T4B6N1C0RA"
    rule = compiled("H H H H H", seed)

    # First 8 bytes, big-endian, of SHA-256("sch_01JD3Z8QK5M7V2X9T4B6N1C0RA:minute"), mod 60.
    assert spread(seed, "minute", 1 << 64) == 0xE6DAAB65D862983E
    assert members(rule.minutes) == [spread(seed, "minute", 60)]
    assert members(rule.hours) == [spread(seed, "hour", 24)]
    assert members(rule.days) == [1 + spread(seed, "day_of_month", 31)]
    assert members(rule.months) == [1 + spread(seed, "month", 12)]
    assert members(rule.weekdays) == [spread(seed, "day_of_week", 7)]


def test_the_same_task_keeps_its_place_and_another_has_its_own() -> None:
    places = {compiled("H H * * *", f"tsk_{number}") for number in range(50)}

    assert compiled("H H * * *", "tsk_7") == compiled("h h * * *", "tsk_7")
    assert len(places) > 40


@pytest.mark.parametrize(
    ("written", "low", "high", "step"),
    [("H(10-20)", 10, 20, 11), ("H(0-29)/10", 0, 29, 10), ("H/15", 0, 59, 15), ("H(7-7)", 7, 7, 1)],
)
def test_h_stays_in_its_window_and_reaches_all_of_it(
    written: str, low: int, high: int, step: int
) -> None:
    drawn = [members(compiled(f"{written} * * * *", str(number)).minutes) for number in range(500)]
    firsts = {minutes[0] for minutes in drawn}

    assert firsts == set(range(low, min(low + step, high + 1)))
    assert all(minutes == list(range(minutes[0], high + 1, step)) for minutes in drawn)


@pytest.mark.parametrize(("salt", "size"), [("minute", 60), ("hour", 24), ("day_of_month", 31)])
def test_ten_thousand_ids_lie_evenly_over_the_whole_field(salt: str, size: int) -> None:
    counts = Counter(spread(f"sch_{number}", salt, size) for number in range(IDS))
    expected = IDS / size

    assert set(counts) == set(range(size))
    assert min(counts.values()) > 0.6 * expected
    assert max(counts.values()) < 1.4 * expected


def test_h_h_reaches_every_minute_of_the_day() -> None:
    counts = Counter(
        (spread(f"sch_{number}", "hour", 24), spread(f"sch_{number}", "minute", 60))
        for number in range(IDS_FOR_EVERY_SLOT)
    )

    assert len(counts) == 1440
    assert min(counts.values()) >= 15
    assert max(counts.values()) <= 80


def test_a_field_of_the_engine_is_drawn_as_the_hash_says() -> None:
    for number in range(200):
        rule = compiled("H H * * *", f"sch_{number}")

        assert rule.minutes == 1 << spread(f"sch_{number}", "minute", 60)
        assert rule.hours == 1 << spread(f"sch_{number}", "hour", 24)


@pytest.mark.parametrize("hashed", ["H", "H/5", "H(1-5)"])
def test_a_seed_of_any_characters_is_hashed(hashed: str) -> None:
    assert compiled(f"{hashed} * * * *", "\ud800\udcff é").minutes > 0
