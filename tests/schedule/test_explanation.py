"""An explanation says what the engine does, in English, and says different things differently."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from onthedot.schedule.calendar_times import compile_calendar
from onthedot.schedule.expression.cron import Cron
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.time.instants import parse_instant
from onthedot.schedule.walls import days_of
from onthedot.schedule.words.phrases import explanation, explanation_with_changes
from tests.schedule.oracles.expressions import five_fields, seven_fields, six_fields

CHUNKS = 4
EXPRESSIONS = 20_000 // CHUNKS
SHAPES = range(14)
NOVEMBER = parse_instant("2026-11-18T00:00:00Z", "after")

GOLDEN = [
    ("30 2 * * *", "At 02:30 every day, UTC."),
    ("@daily", "At 00:00 every day, UTC."),
    ("0 9 * * 1-5", "At 09:00 on Monday through Friday, UTC."),
    ("* * * * *", "Every minute every day, UTC."),
    ("*/15 * * * *", "Every 15 minutes every day, UTC."),
    ("*/30 * * * *", "At minutes 0 and 30 past the hour every day, UTC."),
    ("*/7 * * * *", "At every 7th minute from 0 through 56 past the hour every day, UTC."),
    ("0 * * * *", "Every hour every day, UTC."),
    ("0 0-23 * * *", "Every hour every day, UTC."),
    ("5 * * * *", "At minute 5 past the hour every day, UTC."),
    ("59/15 * * * *", "At minute 59 past the hour every day, UTC."),
    ("0 */6 * * *", "At 00:00, 06:00, 12:00 and 18:00, every day, UTC."),
    ("0 22-4/3 * * *", "At 01:00, 04:00 and 22:00, every day, UTC."),
    ("0 9-9 * * *", "At 09:00 every day, UTC."),
    (
        "0 */2 * * *",
        "On the hour, in every 2nd hour from 00 through 22, every day, UTC.",
    ),
    ("* 9 * * *", "Every minute, in the hour 09, every day, UTC."),
    (
        "*/10 9-17 * * MON-FRI",
        "Every 10 minutes, in the hours 09 through 17, on Monday through Friday, UTC.",
    ),
    (
        "1,2,3,10,20,21,22 * * * *",
        "At minutes 1 through 3, 10 and 20 through 22 past the hour, every day, UTC.",
    ),
    ("0 0 1 * *", "At 00:00 on day 1 of the month, UTC."),
    ("0 0 1,15 * 1", "At 00:00 on days 1 and 15 of the month and also on Monday, UTC."),
    ("0 0 13 * FRI", "At 00:00 on day 13 of the month and also on Friday, UTC."),
    (
        "0 0 */2 * 1",
        "At 00:00 on every 2nd day from 1 through 31 of the month, but only on Monday, UTC.",
    ),
    ("0 0 ? * 1", "At 00:00 on Monday, UTC."),
    ("0 0 1-31 * 1", "At 00:00 every day, UTC."),
    ("0 0 */1 * 1", "At 00:00 on Monday, UTC."),
    ("0 0 L * *", "At 00:00 on the last day of the month, UTC."),
    (
        "0 0 L,15W * *",
        (
            "At 00:00 on the last day and the weekday (Monday to Friday) nearest day 15 "
            "of the month, UTC."
        ),
    ),
    ("0 0 LW * *", "At 00:00 on the last weekday (Monday to Friday) of the month, UTC."),
    ("0 0 * * 5L", "At 00:00 on the last Friday of the month, UTC."),
    ("0 0 * * MON#1,WED", "At 00:00 on Wednesday and the first Monday of the month, UTC."),
    ("0 0 * * 7", "At 00:00 on Sunday, UTC."),
    ("0 0 * * 5-7/2", "At 00:00 on Sunday and Friday, UTC."),
    ("0 0 29 2 *", "At 00:00 on day 29 of the month in February, UTC."),
    (
        "0 0 1 */3 *",
        "At 00:00 on day 1 of the month in every 3rd month from January through October, UTC.",
    ),
    ("0 0 * NOV-FEB *", "At 00:00 every day in January, February, November and December, UTC."),
    ("*/20 * * * * *", "Every 20 seconds every day, UTC."),
    ("15 * * * * *", "At second 15 of every minute every day, UTC."),
    ("* * * * * *", "Every second every day, UTC."),
    ("* 0 * * * *", "Every second, at minute 0 past the hour, every day, UTC."),
    ("5 30 9 * * *", "At 09:30:05 every day, UTC."),
    (
        "*/5 */15 9-17 * * *",
        "Every 5 seconds, every 15 minutes, in the hours 09 through 17, every day, UTC.",
    ),
    ("0 0 0 1 1 * 2030", "At 00:00 on day 1 of the month in January in 2030, UTC."),
    ("@every 90s", "Every 90 seconds, counted from 1970-01-01 00:00 UTC."),
    ("@every 1h", "Every hour, counted from 1970-01-01 00:00 UTC."),
    ("rate(7 days)", "Every 7 days, counted from 1970-01-01 00:00 UTC."),
    ("cron(0 10 ? * 2-6 *)", "At 10:00 on Monday through Friday, UTC."),
    (
        "at(2027-02-03T10:20:30)",
        "At 10:20:30 on day 3 of the month in February in 2027, UTC.",
    ),
]

# Small sets, so that many of the expressions drawn say the same and many nearly so.
FIELDS = (
    "* 0-59 */1 0 5 */15 0/15 0,15,30,45 */20 */30 0,30 1-3 1-5/2 1,3,5 */7 7-56/7 59".split(),
    "* 0-23 0 9 9-9 9-17 9-17/2 */2 0-22/2 */6 0,6,12,18 22-4/3 22,1,4 0-11".split(),
    "* ? 1-31 1 1,2,3 1-3 */2 1-31/2 L L,31 31 LW 31W 15W 15 13,L *,L */31 1-31,L".split(),
    "* 1-12 1 JAN-MAR 1,2,3 */2 */3 1-10/3 2 11-2".split(),
    "* ? 0-6 1-7 1 MON 1-5 */2 0,2,4,6 6,0 5-7/2 1#1 1L 1#1,1 1#1-5 0-6,1#1 *,1#1".split(),
)


def explained(text: str) -> str:
    return explanation(compile_schedule(text))


@pytest.mark.parametrize(("text", "sentence"), GOLDEN)
def test_a_schedule_reads_as_a_person_would_say_it(text: str, sentence: str) -> None:
    assert explained(text) == sentence


@pytest.mark.deep
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_what_reads_alike_fires_alike(chunk: int) -> None:
    dice = Random(chunk)
    makers = (_near, _near, _near, five_fields, six_fields, seven_fields)
    known: dict[str, tuple[str, object]] = {}
    wrong = []
    for number in range(EXPRESSIONS):
        text = makers[number % len(makers)](dice)
        if (schedule := _compiled(text)) is None:
            continue
        sentence, meaning = explanation(schedule), _meaning(schedule)
        other, known_meaning = known.setdefault(sentence, (text, meaning))
        wrong += [(sentence, text, other)] if known_meaning != meaning else []

    assert wrong == []
    assert len(known) < 0.9 * EXPRESSIONS


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_and_is_said_where_both_day_fields_must_match_and_or_where_one_suffices(
    chunk: int,
) -> None:
    dice = Random(f"days {chunk}")
    texts = [f"0 0 {dice.choice(FIELDS[2])} * {dice.choice(FIELDS[4])}" for _ in range(500)]
    cases = [(text, schedule) for text in texts if (schedule := _compiled(text))]

    for text, schedule in cases:
        sentence, rule = explanation(schedule), schedule.rule
        assert isinstance(rule, Cron)
        assert ("but only on" in sentence) <= rule.both_days, text
        assert ("and also on" in sentence) <= (not rule.both_days), text
        assert ("every day" in sentence) <= all(map(_is_whole, SHAPES, _days(rule))), text


def test_the_bounds_the_jitter_and_the_calendars_are_said() -> None:
    schedule = compile_schedule(
        "0 9 * * *",
        timezone="Europe/Paris",
        start_at=NOVEMBER,
        end_at=NOVEMBER + 86_400,
        jitter_sec=60,
        seed="sch_1",
        calendars=[compile_calendar("us-holidays", dates=["2026-12-25"])],
    )

    assert explanation(schedule) == (
        "At 09:00 every day, Europe/Paris. Not before 2026-11-18T00:00:00Z. "
        f"Not after 2026-11-19T00:00:00Z. Due {schedule.jitter_offset_sec} s later (jitter). "
        "Never in us-holidays."
    )


@pytest.mark.parametrize(
    ("text", "choices", "said"),
    [
        (
            "30 2 * * *",
            {},
            (
                "At 02:30 every day, America/New_York. On 14 March 2027 that time does not exist: "
                "fires at 03:00 EDT."
            ),
        ),
        (
            "30 2 * * *",
            {"dst_gap": "skip"},
            (
                "At 02:30 every day, America/New_York. On 14 March 2027 that time does not exist: "
                "it is skipped."
            ),
        ),
        (
            "30 2 * * *",
            {"dst_gap": "shift"},
            (
                "At 02:30 every day, America/New_York. On 14 March 2027 that time does not exist: "
                "fires at 03:30 EDT."
            ),
        ),
        (
            "30 1 * * *",
            {"dst_overlap": "both"},
            (
                "At 01:30 every day, America/New_York. On 7 November 2027 that time comes twice: "
                "fires at both."
            ),
        ),
        (
            "30 1,2 * * *",
            {"dst_overlap": "last"},
            (
                "At 01:30 and 02:30 every day, America/New_York. On 14 March 2027 02:30 does not "
                "exist: fires at 03:00 EDT. On 7 November 2027 01:30 comes twice: fires at the "
                "second, EST."
            ),
        ),
        ("*/15 * * * *", {}, "Every 15 minutes every day, America/New_York."),
        ("0 9 * * *", {}, "At 09:00 every day, America/New_York."),
    ],
)
def test_the_coming_changes_of_the_clock_are_said(
    text: str, choices: dict[str, str], said: str
) -> None:
    schedule = compile_schedule(text, timezone="America/New_York", **choices)  # type: ignore[arg-type] # words only

    assert explanation_with_changes(schedule, NOVEMBER) == said


def _near(dice: Random) -> str:
    """Leaves either the time or the day as it is, so that few differences remain."""
    drawn = [dice.choice(forms) for forms in FIELDS]
    return " ".join([*drawn[:2], "*", "*", "*"] if dice.random() < 0.5 else ["0", "9", *drawn[2:]])


def _compiled(text: str) -> Schedule | None:
    try:
        return compile_schedule(text)
    except ScheduleError:
        return None


def _meaning(schedule: Schedule) -> object:
    rule = schedule.rule
    assert isinstance(rule, Cron)
    return rule.seconds, rule.minutes, rule.hours, rule.years, _days(rule)


@cache
def _days(rule: Cron) -> tuple[int, ...]:
    return tuple(days_of(rule, shape) for shape in SHAPES)


def _is_whole(shape: int, days: int) -> bool:
    return days.bit_count() == (366 if shape >= 7 else 365)
