"""onthedot next: the fires for people and for programs, and mistakes shown where they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from onthedot.schedule.time import zones
from tests.cli.terminal import complained, onthedot, printed

FROM = ("--from", "2027-03-13T00:00:00Z")
VIEWER = ("--viewer-tz", "Europe/Paris")
NEW_YORK = ("--tz", "America/New_York")


def asked_json(*words: str) -> dict[str, Any]:
    told = json.loads(printed("next", *words, "--json"))
    assert isinstance(told, dict)
    return told


def fires(*words: str) -> list[str]:
    return [fire["at"] for fire in asked_json(*words)["fires"]]


def test_the_table_shows_the_jobs_zone_the_viewers_utc_and_notes() -> None:
    shown = printed("next", "30 2 * * *", *NEW_YORK, *FROM, *VIEWER, "--count", "3")

    assert shown.splitlines() == [
        (
            "At 02:30 every day, America/New_York. On 14 March 2027 that time does not exist: "
            "fires at 03:00 EDT."
        ),
        "",
        "America/New_York          Europe/Paris              UTC                   note",
        "Sat 2027-03-13 02:30 EST  Sat 2027-03-13 08:30 CET  2027-03-13T07:30:00Z",
        (
            "Sun 2027-03-14 03:00 EDT  Sun 2027-03-14 08:00 CET  2027-03-14T07:00:00Z  "
            "02:30 does not exist on this day; fires at 03:00 EDT."
        ),
        "Mon 2027-03-15 02:30 EDT  Mon 2027-03-15 07:30 CET  2027-03-15T06:30:00Z",
    ]


def test_a_column_that_would_say_nothing_new_is_left_out() -> None:
    shown = printed("next", "0 9 * * *", *FROM, "--count", "1", "--viewer-tz", "UTC")

    assert shown.splitlines()[2:] == [
        "UTC                       UTC",
        "Sat 2027-03-13 09:00 UTC  2027-03-13T09:00:00Z",
    ]


def test_jitter_has_a_column_of_its_own() -> None:
    shown = printed("next", "0 9 * * *", *FROM, *VIEWER, "--jitter-sec", "60", "--seed", "x")

    assert "  due\n" in shown
    assert "2027-03-13T09:00:39.000Z" in shown
    assert "drawn from the seed 'x'" in shown


@pytest.mark.parametrize(
    "text", ["H 9 * * *", "0 h(1-5) * * *", "0 9 1,H * *", "cron(H/15 9 ? * MON *)"]
)
def test_a_drawn_field_is_said_to_be_drawn(text: str) -> None:
    assert "drawn from the seed ''" in printed("next", text, *FROM)


@pytest.mark.parametrize(
    "text", ["0 9 * * THU", "0 9 * MAR THU", "@hourly", "@every 1h", "rate(1 hour)"]
)
def test_an_h_that_is_part_of_a_word_is_not(text: str) -> None:
    assert "drawn" not in printed("next", text, *FROM)


def test_json_has_the_fires_of_the_vocabulary() -> None:
    told = asked_json("30 2 * * *", *NEW_YORK, *FROM, *VIEWER, "--count", "2", "--seed", "sch_1")

    assert told == {
        "explanation": "At 02:30 every day, America/New_York.",
        "fires": [
            {
                "at": "2027-03-13T07:30:00Z",
                "due_at": "2027-03-13T07:30:00.000Z",
                "local": "Sat 2027-03-13 02:30 EST",
                "viewer": "Sat 2027-03-13 08:30 CET",
                "note": None,
                "note_code": None,
            },
            {
                "at": "2027-03-14T07:00:00Z",
                "due_at": "2027-03-14T07:00:00.000Z",
                "local": "Sun 2027-03-14 03:00 EDT",
                "viewer": "Sun 2027-03-14 08:00 CET",
                "note": "02:30 does not exist on this day; fires at 03:00 EDT.",
                "note_code": "dst_gap_moved",
            },
        ],
        "warnings": [
            {
                "code": "dst_gap",
                "detail": "On 2027-03-14 02:30 does not exist; fires at 03:00 EDT.",
                "date": "2027-03-14",
            }
        ],
        "seed": "sch_1",
        "tzdata": zones.VERSION,
    }


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--count", "1"), ["2027-03-13T02:30:00Z"]),
        (("--max-runs", "2"), ["2027-03-13T02:30:00Z", "2027-03-14T02:30:00Z"]),
        (("--start-at", "2027-03-14T02:30:00Z", "--count", "1"), ["2027-03-14T02:30:00Z"]),
        (("--end-at", "2027-03-13T02:30:00Z"), ["2027-03-13T02:30:00Z"]),
        (("--timezone", "Asia/Tokyo", "--count", "1"), ["2027-03-13T17:30:00Z"]),
        (
            (*NEW_YORK, "--dst-gap", "skip", "--max-runs", "2"),
            ["2027-03-13T07:30:00Z", "2027-03-15T06:30:00Z"],
        ),
        (
            (*NEW_YORK, "--dst-mode", "interval", "--max-runs", "2"),
            ["2027-03-13T07:30:00Z", "2027-03-15T06:30:00Z"],
        ),
        (
            (*NEW_YORK, "--dst-gap", "shift", "--max-runs", "2"),
            ["2027-03-13T07:30:00Z", "2027-03-14T07:30:00Z"],
        ),
    ],
)
def test_every_flag_changes_what_it_names(flags: tuple[str, ...], expected: list[str]) -> None:
    assert fires("30 2 * * *", *FROM, *flags) == expected


def test_the_seconds_stand_where_they_are_said_to_stand() -> None:
    count = ("--count", "1")

    assert fires("5 0 9 * * *", *FROM, *count) == ["2027-03-13T09:00:05Z"]
    assert fires("0 9 * * * 5", *FROM, *count, "--seconds", "last") == ["2027-03-13T09:00:05Z"]


def test_a_schedule_that_is_over_says_so() -> None:
    assert printed("next", "at(2020-01-01T00:00:00)").splitlines() == [
        "At 00:00 on day 1 of the month in January in 2020, UTC.",
        "",
        "It never fires again.",
    ]


def test_a_warning_is_printed_below_the_table() -> None:
    assert "\nwarning: Here days count from 0" in printed("next", "0 9 ? * 5", *FROM)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ("0 9 * * MON-",),
            [
                (
                    "onthedot: Nothing stands after '-': expected a day there. "
                    "(day_of_week: bad_value)"
                ),
                "  0 9 * * MON-",
                "          ^^^^",
            ],
        ),
        (
            ("0 0 31 2 *",),
            [
                "onthedot: 31 February never comes. (day_of_month: never_fires)",
                "  0 0 31 2 *",
                "      ^^",
                "  try: 0 0 28 2 *",
            ],
        ),
        (
            ("5,,6 * * * *",),
            [
                (
                    "onthedot: Nothing stands beside the comma: expected a minute on each side, "
                    "as in 1,2,3. (minute: bad_value)"
                ),
                "  5,,6 * * * *",
                "    ^",
            ],
        ),
        (
            ("0 9 * * *", "--tz", "EST"),
            [
                (
                    "onthedot: 'EST' is an abbreviation, not a place: did you mean "
                    "America/New_York? (timezone: abbreviated_timezone)"
                ),
                "  try: America/New_York",
            ],
        ),
        (
            (),
            [
                (
                    "onthedot: The expression is empty: expected five fields, such as 0 9 * * 1-5. "
                    "(expression: empty)"
                ),
                "  try: 0 9 * * 1-5",
            ],
        ),
        (
            ("0 9 * * *", "--from", "2027-03-13"),
            [
                (
                    "onthedot: '2027-03-13' has no offset: expected Z, or one such as +01:00, at "
                    "its end. (from: bad_value)"
                ),
                "  try: 2027-03-13T00:00:00Z",
            ],
        ),
    ],
)
def test_a_mistake_is_shown_where_it_stands(words: tuple[str, ...], lines: list[str]) -> None:
    assert complained("next", *words).splitlines() == lines


@pytest.mark.parametrize(
    "words",
    [
        ("0 9 * * *", "--count", "0"),
        ("0 9 * * *", "--count", "10001"),
        ("0 9 * * *", "--count", "-1"),
        ("0 9 * * *", "--count", "many"),
        ("0 9 * * *", "--max-runs", "0"),
        ("0 9 * * *", "--jitter-sec", "86401"),
        ("0 9 * * *", "--from", ""),
        ("0 9 * * *", "--start-at", ""),
        ("0 9 * * *", "--end-at", "tomorrow"),
        ("0 9 * * *", "--start-at", "2027-01-02T00:00:00Z", "--end-at", "2027-01-01T00:00:00Z"),
        ("0 9 * * *", "--dst-gap", "jump"),
        ("0 9 * * *", "--seconds", "middle"),
        ("0 9 * * *", "--viewer-tz", "Mars/Olympus"),
        ("0 9 * * *", "--calendar", "/nowhere"),
        ("0 9 * * *", "--unheard-of"),
        ("0 9 * * d\u00eda",),
    ],
)
def test_a_bad_word_is_the_callers_mistake_and_never_a_traceback(words: tuple[str, ...]) -> None:
    assert complained("next", *words)


def test_with_json_a_mistake_is_json_too() -> None:
    done = onthedot("next", "0 24 * * *", "--json")

    assert (done.returncode, done.stderr) == (2, b"")
    assert json.loads(done.stdout) == {
        "error": {
            "code": "out_of_range",
            "message": "24 is not an hour: expected a number from 0 to 23.",
            "field": "hour",
            "position": [2, 4],
            "suggestion": "0 0 * * *",
        }
    }


def test_bytes_that_are_no_text_are_hashed_or_refused_like_any_other() -> None:
    assert onthedot("next", "H 9 * * *", "--seed", "\udcff").returncode == 0
    assert "not_ascii" in complained("next", "\udcff * * * *")
    assert "unknown_timezone" in complained("next", "0 9 * * *", "--tz", "\udcff")


@pytest.mark.parametrize(
    ("calendar", "expected"),
    [
        ({"dates": ["2027-03-14"]}, ["2027-03-13T09:00:00Z", "2027-03-15T09:00:00Z"]),
        (
            {"dates": ["2027-03-12/2027-03-15"], "timezone": "Europe/Paris"},
            ["2027-03-16T09:00:00Z", "2027-03-17T09:00:00Z"],
        ),
        ({"cron": "* * * * SUN,MON"}, ["2027-03-13T09:00:00Z", "2027-03-16T09:00:00Z"]),
    ],
)
def test_a_calendar_from_a_file_takes_its_days_out(
    tmp_path: Path, calendar: dict[str, Any], expected: list[str]
) -> None:
    file = tmp_path / "calendar.json"
    file.write_text(json.dumps({"name": "holidays", **calendar}), encoding="utf-8")
    told = asked_json("0 9 * * *", *FROM, "--count", "2", "--calendar", str(file))

    assert [fire["at"] for fire in told["fires"]] == expected
    assert told["explanation"] == "At 09:00 every day, UTC. Never in holidays."


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"name":5,"dates":["2027-03-14"]}',
        b'{"name":"\\ud800","dates":["2027-03-14"]}',
        b'{"dates":["2027-03-14"]}',
        b'{"name":"x"}',
        b'{"name":"x","date":["2027-03-14"]}',
        b'{"name":"x","dates":["2027-03-14"],"zone":"UTC"}',
        b'{"name":"x","dates":5}',
        b'{"name":"x","dates":[5]}',
        b'{"name":"x","dates":["14.03.2027"]}',
        b'{"name":"x","dates":["2027-03-14"],"timezone":"EST"}',
        b'{"name":"x","dates":["2027-03-14"],"timezone":5}',
        b'{"name":"x","cron":"0 24 * * *"}',
        b'{"name":"x","cron":"* * * * *"}',
    ],
)
def test_a_file_that_is_no_calendar_is_named_in_the_complaint(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "calendar.json"
    file.write_bytes(content)
    complaint = complained("next", "0 9 * * *", "--calendar", str(file))

    assert str(file) in complaint
    assert "(calendar: " in complaint
    assert "^" not in complaint
