"""onthedot explain: a schedule in English, and what is often misread in it."""

from __future__ import annotations

import pytest

from tests.cli.terminal import complained, printed

FROM = ("--from", "2026-11-18T00:00:00Z")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("0 9 * * 1-5",), ["At 09:00 on Monday through Friday, UTC."]),
        (
            ("30 2 * * *", "--tz", "America/New_York", *FROM),
            [
                (
                    "At 02:30 every day, America/New_York. On 14 March 2027 that time does not "
                    "exist: fires at 03:00 EDT."
                )
            ],
        ),
        (
            ("30 2 * * *", "--tz", "America/New_York", "--dst-gap", "skip", *FROM),
            [
                (
                    "At 02:30 every day, America/New_York. On 14 March 2027 that time does not "
                    "exist: it is skipped."
                )
            ],
        ),
        (
            ("*/90 9 ? * 1",),
            [
                "At 09:00 on Monday, UTC.",
                (
                    "warning: Here days count from 0 = Sunday, so 1 is Monday. "
                    "Names such as MON are safer."
                ),
                (
                    "warning: A step of 90 is longer than the minute field: only 0 matches. "
                    "For elapsed time write @every, such as @every 90m."
                ),
            ],
        ),
        (
            ("0 9 * * * 5", "--seconds", "last"),
            ["At 09:00:05 every day, UTC."],
        ),
    ],
)
def test_a_schedule_is_said_in_english_with_its_warnings(
    words: tuple[str, ...], lines: list[str]
) -> None:
    assert printed("explain", *words).splitlines() == lines


@pytest.mark.parametrize("words", [("0 24 * * *",), ("0 9 * * *", "--tz", "EST"), ("",), ()])
def test_what_cannot_be_explained_is_the_callers_mistake(words: tuple[str, ...]) -> None:
    assert complained("explain", *words)
