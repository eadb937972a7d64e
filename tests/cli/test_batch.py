"""onthedot next --batch: a line for a line, in order, at once, whatever the line is."""

from __future__ import annotations

import json
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import pytest

from onthedot.cli.batch import LINE_MAX, answer
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.instants import nominal, parse_instant
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.words.schedule_preview import COUNT_MAX
from tests.cli.terminal import ONTHEDOT, onthedot
from tests.schedule.oracles.expressions import five_fields

COMMAND = [ONTHEDOT, "next", "--batch"]
NOW = parse_instant("2026-11-18T08:59:59Z", "after")
NINE = {"fires": ["2026-11-18T09:00:00Z"]}
PATIENCE_SEC = 20


def asked(question: dict[str, Any] | bytes) -> dict[str, Any]:
    line = question if isinstance(question, bytes) else json.dumps(question).encode()
    answered = json.loads(answer(line, NOW))
    assert isinstance(answered, dict)
    return answered


def ran(given: bytes) -> list[dict[str, Any]]:
    done = onthedot("next", "--batch", given=given)
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def running() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process


def test_only_cron_is_required() -> None:
    assert asked({"cron": "0 9 * * *"}) == NINE
    assert asked({"cron": "0 9 * * *", "timezone": None, "count": None, "after": None}) == NINE


@pytest.mark.parametrize(
    ("question", "fires"),
    [
        (
            {"cron": "0 9 * * *", "timezone": "America/New_York", "count": 2},
            ["2026-11-18T14:00:00Z", "2026-11-19T14:00:00Z"],
        ),
        ({"cron": "0 9 * * *", "after": "2026-11-18T09:00:00Z"}, ["2026-11-19T09:00:00Z"]),
        ({"cron": "0 9 * * *", "after": "2026-11-18T10:59:59+02:00"}, ["2026-11-18T09:00:00Z"]),
        ({"cron": "0 0 9 * * 5", "seconds": "last"}, ["2026-12-09T00:00:05Z"]),
        ({"cron": "0 0 9 * * 5"}, ["2026-11-20T09:00:00Z"]),
        ({"cron": "@every 1h", "count": 2}, ["2026-11-18T09:00:00Z", "2026-11-18T10:00:00Z"]),
        ({"cron": "at(2026-01-01T00:00:00)"}, []),
        (
            {
                "cron": "30 2 * * *",
                "timezone": "America/New_York",
                "after": "2027-03-14T00:00:00Z",
                "dst_gap": "shift",
            },
            ["2027-03-14T07:30:00Z"],
        ),
        (
            {
                "cron": "30 1 * * *",
                "timezone": "America/New_York",
                "after": "2027-11-07T00:00:00Z",
                "dst_overlap": "last",
            },
            ["2027-11-07T06:30:00Z"],
        ),
        (
            {
                "cron": "30 2 * * *",
                "timezone": "America/New_York",
                "after": "2027-03-14T00:00:00Z",
                "dst_mode": "interval",
            },
            ["2027-03-15T06:30:00Z"],
        ),
    ],
)
def test_a_question_may_say_all_that_a_schedule_means(
    question: dict[str, Any], fires: list[str]
) -> None:
    assert asked(question) == {"fires": fires}


@pytest.mark.parametrize(
    ("question", "code", "field"),
    [
        (b"", "invalid_request", "expression"),
        (b"{", "invalid_request", "expression"),
        (b"[]", "invalid_request", "expression"),
        (b"null", "invalid_request", "expression"),
        (b'"0 9 * * *"', "invalid_request", "expression"),
        (b"{}", "invalid_request", "expression"),
        (b'{"cron":"0 9 * * *"}{}', "invalid_request", "expression"),
        (b'{"cron":"\xff"}', "invalid_request", "expression"),
        (b"\x00\x01\x02", "invalid_request", "expression"),
        (b"[" * 60_000, "invalid_request", "expression"),
        (b'{"a":' * 10_000, "invalid_request", "expression"),
        (b'{"cron":"* * * * *","count":' + b"9" * 5000 + b"}", "invalid_request", "expression"),
        (b'{"cron":"' + b" " * LINE_MAX + b'"}', "too_long", "expression"),
        ({"cron": None}, "empty", "expression"),
        ({"cron": ""}, "empty", "expression"),
        ({"cron": "\ud800"}, "not_ascii", "expression"),
        ({"cron": "* " * 1000}, "too_long", "expression"),
        ({"cron": 5}, "bad_value", "cron"),
        ({"cron": ["0 9 * * *"]}, "bad_value", "cron"),
        ({"cron": "60 * * * *"}, "out_of_range", "minute"),
        ({"cron": "0 9 * * *", "timezone": "EST"}, "abbreviated_timezone", "timezone"),
        ({"cron": "0 9 * * *", "timezone": "\ud800"}, "unknown_timezone", "timezone"),
        ({"cron": "0 9 * * *", "timezone": {}}, "bad_value", "timezone"),
        ({"cron": "0 9 * * *", "after": 1_795_000_000}, "bad_value", "after"),
        ({"cron": "0 9 * * *", "after": "tomorrow"}, "bad_value", "after"),
        ({"cron": "0 9 * * *", "after": "1999-01-01T00:00:00Z"}, "out_of_range", "after"),
        ({"cron": "0 9 * * *", "count": True}, "out_of_range", "count"),
        ({"cron": "0 9 * * *", "count": 0}, "out_of_range", "count"),
        ({"cron": "0 9 * * *", "count": 1.0}, "out_of_range", "count"),
        ({"cron": "0 9 * * *", "count": "1"}, "out_of_range", "count"),
        ({"cron": "0 9 * * *", "count": COUNT_MAX + 1}, "out_of_range", "count"),
        ({"cron": "0 9 * * *", "seconds": "middle"}, "bad_value", "seconds"),
        ({"cron": "0 9 * * *", "dst_gap": "jump"}, "bad_value", "dst_gap"),
        ({"cron": "0 9 * * *", "timzone": "UTC"}, "unknown_field", "timzone"),
        ({"cron": "0 9 * * *", "\ud800" * 100: 1}, "unknown_field", "\ud800" * 64),
    ],
)
def test_a_bad_line_gets_an_error_with_every_part(
    question: dict[str, Any] | bytes, code: str, field: str
) -> None:
    error = asked(question)["error"]

    assert set(error) == {"code", "message", "field", "position", "suggestion"}
    assert (error["code"], error["field"]) == (code, field)


def test_the_most_that_may_be_asked_is_answered() -> None:
    fires = asked({"cron": "* * * * * *", "count": COUNT_MAX})["fires"]

    assert len(fires) == COUNT_MAX
    assert fires == sorted(set(fires))


def test_every_line_has_its_answer_in_its_place() -> None:
    dice = Random(2)
    names = sorted(zone_names())
    lines: list[bytes] = []
    expected: list[tuple[int, str] | None] = []
    for number in range(3000):
        if number % 7 == 0:
            lines.append(
                dice.choice([b"", b"}", b"\xff\xfe", b'{"cron":"61 * * * *"}', b"[" * 9000])
            )
            expected.append(None)
            continue
        minute, zone = dice.randrange(60), dice.choice(names)
        question = {"cron": f"{minute} 9 * * *", "timezone": zone, "after": "2026-11-18T00:00:00Z"}
        lines.append(json.dumps(question).encode())
        expected.append((minute, zone))
    answers = ran(b"\n".join(lines) + b"\n")

    assert len(answers) == len(lines)
    for told, wanted in zip(answers, expected, strict=True):
        assert ("error" in told) == (wanted is None)
        assert wanted is None or told["fires"] == [_nine(*wanted)]


def test_blank_lines_and_other_line_ends_count_as_lines() -> None:
    question = b'{"cron":"0 9 * * *","after":"2026-11-18T08:00:00Z"}'
    answers = ran(b"\n" + question + b"\r\n\n" + question)

    assert ["error" if "error" in told else told for told in answers] == [
        "error",
        NINE,
        "error",
        NINE,
    ]


def test_nothing_asked_is_nothing_answered() -> None:
    assert ran(b"") == []


@pytest.mark.parametrize("size", [LINE_MAX - 100, LINE_MAX + 1, 1_000_000])
def test_a_line_that_is_too_long_is_refused_and_the_next_one_answered(size: int) -> None:
    question = b'{"cron":"0 9 * * *","after":"2026-11-18T08:00:00Z"'
    answers = ran(question + b" " * (size - len(question) - 1) + b"}\n" + question + b"}\n")

    assert [told.get("error", {}).get("code") for told in answers] == [
        "too_long" if size > LINE_MAX else None,
        None,
    ]


def test_an_answer_comes_before_the_next_question_is_asked() -> None:
    with running() as process:
        assert process.stdin
        assert process.stdout
        for hour in range(5):
            question = {"cron": f"0 {hour} * * *", "after": "2026-11-18T23:30:00Z"}
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE_SEC)

            assert ready, "no answer while the door is open"
            assert json.loads(process.stdout.readline()) == {
                "fires": [f"2026-11-19T0{hour}:00:00Z"]
            }
        process.stdin.close()

        assert process.wait(PATIENCE_SEC) == 0


def test_a_question_that_comes_in_pieces_is_one_question() -> None:
    with running() as process:
        assert process.stdin
        for piece in (b'{"cron":', b'"0 9 * * *","after":', b'"2026-11-18T08:00:00Z"}\n'):
            process.stdin.write(piece)
            process.stdin.flush()
        told, _ = process.communicate(timeout=PATIENCE_SEC)

    assert [json.loads(line) for line in told.splitlines()] == [NINE]


def test_a_reader_that_leaves_is_no_failure() -> None:
    lines = b'{"cron":"* * * * *","count":1000}\n' * 100
    with running() as process:
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.write(lines)
            process.stdin.close()

        assert process.wait(PATIENCE_SEC) == 0


def test_random_expressions_are_answered_as_the_engine_answers() -> None:
    dice = Random(5)
    for _ in range(300):
        text = five_fields(dice)
        told = asked({"cron": text, "count": 3})

        assert "error" in told or len(told["fires"]) in range(4)
        assert "error" not in told or told["error"]["code"] == "never_fires"


def _nine(minute: int, zone: str) -> str:
    schedule = compile_schedule(f"{minute} 9 * * *", timezone=zone)
    slot = schedule.next(parse_instant("2026-11-18T00:00:00Z", "after"))
    assert slot is not None
    return nominal(slot)
