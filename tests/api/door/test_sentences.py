"""What a tired reader is told: which field, what it is, and what would have been right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.kit import SCHEDULE, Api

HOOK = {"type": "http", "url": "https://example.com/"}
LETTERS = "letters from A to Z, digits, dots, dashes and underscores"
# Fields, where it says that the mistake stands, and the sentence.
MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"name": "a b"},
        "/name",
        f"name is 'a b': expected 1 to 200 {LETTERS}, beginning with a letter or a",
    ),
    ({"name": None}, "/name", "name is null: expected text."),
    ({"max_runs": "3"}, "/max_runs", "max_runs is '3': expected a whole number."),
    ({"retry": 5}, "/retry", "retry is 5: expected an object, {…}."),
    ({"retry": {"backoff": "x"}}, "/retry/backoff", "retry.backoff is 'x': expected 'exponential'"),
    (
        {"retry": {"bas_sec": 1}},
        "/retry/bas_sec",
        "'bas_sec' is not a field of retry. Did you",
    ),
    ({"colour": "red"}, "/colour", "'colour' is not a field here."),
    ({"tags": {"a": 1}}, "/tags/a", "tags.a is 1: expected text."),
    ({"tags": {"a/b": 1}}, "/tags/a~1b", "tags.a/b is 1: expected text."),
    ({"tags": {"": "x"}}, "/tags/", "A name in tags has 0 characters: expected 1 or more."),
    (
        {"tags": dict.fromkeys(map(str, range(21)), "x")},
        "/tags",
        "tags has 21 entries: expected 20",
    ),
    ({"description": "x" * 1001}, "/description", "description has 1001 characters: expected 1000"),
    ({"cron": None}, "/cron", "Neither cron nor every_sec is given: expected one of them."),
    (
        {"every_sec": 5},
        "/cron",
        "Both cron and every_sec are given: expected one of them, and",
    ),
    ({"version": 3}, "/version", "version is read-only: leave it out, the system sets it."),
    ({"target": {"type": "ftp"}}, "/target", "target.type is 'ftp': expected one of 'python', "),
    ({"target": {"type": "http"}}, "/target/url", "target.url is missing: it is required."),
    ({"target": {"type": "http", "url": "a.b"}}, "/target/url", "target.url is 'a.b': expected an"),
    (
        {"target": {"type": "python", "handler": "a", "url": "x"}},
        "/target/url",
        "'url' is not a field of target. Its fields are handler, type.",
    ),
    (
        {"target": HOOK | {"expect_status": ["2xx", "no"]}},
        "/target/expect_status/1",
        "target.expect_status[1] is 'no': expected '200' to '599', or a class such as '2xx'.",
    ),
    (
        {"target": HOOK | {"headers": {"a b": "c"}}},
        "/target/headers/a b",
        "A name in target.headers is 'a b': expected 1 to 64 letters, digits and dashes.",
    ),
]


@pytest.mark.parametrize(("fields", "pointer", "said"), MISTAKES, ids=lambda each: str(each)[:40])
def test_a_mistake_is_said_with_its_place_and_its_value(
    api: Api, fields: dict[str, Any], pointer: str, said: str
) -> None:
    refused = api.call("POST /v1/schedules", SCHEDULE | {"name": "report"} | fields)

    assert 400 <= refused.status < 500
    assert refused.body["detail"].startswith(said)
    (error,) = refused.body["errors"]
    assert error["pointer"] == pointer


def test_a_read_only_field_says_what_it_is_now(api: Api) -> None:
    api.schedule()

    refused = api.call("PATCH /v1/schedules/report", {"status": "paused"})

    said = 'status is read-only: leave it out, or send its present value, "active".'
    assert refused.body["detail"] == f"{said} Pause or resume it to change that."


def test_a_word_that_no_filter_knows_is_told_those_that_it_does(api: Api) -> None:
    for route in ("dead-letters?reason=bogus", "schedules?target=ftp", "tasks?target=ftp"):
        refused = api.call(f"GET /v1/{route}")
        assert refused.status == 400
        assert "expected '" in refused.body["detail"]


def test_too_long_a_time_is_told_in_days(api: Api) -> None:
    refused = api.call("GET /v1/upcoming?to=2027-01-30T00:00:00Z")

    between = "2026-11-18T12:00:00Z to 2027-01-30T00:00:00Z is 73 days: expected 31 at most."
    assert (refused.status, refused.body["detail"]) == (422, between)
