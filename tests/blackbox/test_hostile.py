"""What nobody should send: odd bodies, odd ids, addresses of our own network, secrets in words."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest

from tests.blackbox.receiver import Reply
from tests.blackbox.user import HELLO, YEARLY, User
from tests.blackbox.world import World

REFUSED = {400, 413, 415, 422}
ODD_IDS = ["nobody", "sch_01M7S0FNKJ46BW5BSGW9PSA411", "%00", "%ff", "a" * 256, "..", "a%2fb"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"NaN",
        b'{"name": NaN}',
        b'{"name": 1e400}',
        b'{"name": "a", "name": "b"}',
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b'{"name": "\\ud800"}',
        b'{"payload": ' + b"[" * 65 + b"]" * 65 + b"}",
        b"[" * 100_000,
        b'{"payload": ' + b"9" * 5_000 + b"}",
        b'{"payload": "' + b"x" * 300_000 + b'"}',
    ],
    ids=range(16),
)
def test_a_body_that_is_none_is_refused_with_a_problem(world: World, content: bytes) -> None:
    for path in ("/v1/schedules", "/v1/tasks", "/v1/cron/preview", "/v1/leases"):
        answer = world.operator.send("POST", path, content)
        assert answer.status in REFUSED, (path, answer)
        assert answer.code


def test_what_is_no_json_is_another_media_type(world: World) -> None:
    answer = world.operator.send("POST", "/v1/tasks", b"a=b", content_type="text/plain")

    assert answer.refusal == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"crom": "* * * * *"}, "/crom"),
        ({"max_attempts": "3"}, "/max_attempts"),
        ({"max_attempts": 0}, "/max_attempts"),
        ({"max_attempts": True}, "/max_attempts"),
        ({"priority": 4}, "/priority"),
        ({"name": "sch_mine"}, "/name"),
        ({"name": "a b"}, "/name"),
        ({"tags": {"a": 1}}, "/tags/a"),
        ({"target": {"type": "http"}}, "/target/url"),
        ({"start_at": "2027-01-01T00:00:00"}, "/start_at"),
        ({"start_at": "1999-01-01T00:00:00Z"}, "/start_at"),
        ({"start_at": "2200-01-01T00:00:00Z"}, "/start_at"),
    ],
)
def test_a_wrong_field_is_named_with_its_pointer(
    world: World, fields: dict[str, Any], pointer: str
) -> None:
    body = {"name": "odd", "cron": YEARLY, "target": HELLO, **fields}

    answer = world.operator.ask("POST", "/v1/schedules", body)

    assert answer.status in {400, 422}
    assert answer.code
    assert pointer in {error["pointer"] for error in answer.json["errors"]}


def test_an_unknown_field_and_parameter_are_answered_with_the_name_that_was_meant(
    world: World,
) -> None:
    body = {"name": "odd", "crom": YEARLY, "target": HELLO}

    field = world.operator.ask("POST", "/v1/schedules", body)
    parameter = world.operator.ask("GET", "/v1/schedules?stauts=active")

    assert field.refusal == (400, "unknown_field")
    assert field.json["errors"][0]["suggestion"] == "cron"
    assert parameter.refusal == (400, "unknown_field")
    assert parameter.json["errors"][0]["suggestion"] == "status"


def test_1_0_is_the_whole_number_1(world: World) -> None:
    user = world.tenant()
    body = b'{"target": {"type": "python", "handler": "hello"}, "delay_sec": 500.0}'

    assert user.send("POST", "/v1/tasks", body).status == 201


@pytest.mark.parametrize("name", ODD_IDS)
def test_an_id_that_is_nobodys_is_404(world: World, name: str) -> None:
    user = world.operator

    for path in ("schedules", "tasks", "runs", "keys", "calendars", "dead-letters/operations"):
        answer = user.ask("GET", f"/v1/{path}/{name}")
        assert answer.refusal == (404, "not_found"), (path, answer)


def test_a_path_that_is_none_is_404_and_another_method_405(world: World) -> None:
    user = world.operator

    other = user.ask("DELETE", "/v1/timezones")

    assert user.ask("GET", "/v1/nothing").refusal == (404, "not_found")
    assert user.ask("GET", "/").refusal == (404, "not_found")
    assert other.refusal == (405, "method_not_allowed")
    assert "GET" in other.headers["allow"]


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://[::ffff:10.0.0.1]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[64:ff9b::a00:1]/",
        "http://[2002:a00:1::]/",
        "http://224.0.0.1/",
    ],
)
def test_an_address_where_no_target_may_be_is_refused(world: World, url: str) -> None:
    body = {"target": {"type": "http", "url": url}}

    answer = world.operator.ask("POST", "/v1/tasks", body)

    assert answer.status == 422, answer
    assert answer.code in {"target_forbidden", "invalid_target", "invalid_field"}


@pytest.mark.parametrize("host", ["167772161", "0x0a000001", "012.0.0.1", "10.1"])
def test_an_address_in_disguise_is_not_called(world: World, host: str) -> None:
    user = world.tenant()

    run = user.ran(user.task(target={"type": "http", "url": f"http://{host}/"})["task_id"])

    assert (run["status"], run["reason"]) == ("dead", "target_forbidden")


@pytest.mark.parametrize("url", ["ftp://example.com/", "file:///etc/passwd", "http://", "x"])
def test_an_address_of_another_kind_is_refused(world: World, url: str) -> None:
    answer = world.operator.ask("POST", "/v1/tasks", {"target": {"type": "http", "url": url}})

    assert answer.status == 422, answer


def test_a_redirect_to_where_no_target_may_be_is_a_death(world: World) -> None:
    user = world.tenant()
    hook = world.hook(Reply(302, headers={"Location": "http://169.254.169.254/latest/"}))

    task = user.task(target={**hook.target, "follow_redirects": True})
    run = user.ran(task["task_id"])

    assert (run["status"], run["reason"]) == ("dead", "target_forbidden")


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer x"},
        {"X-Api-Key": "x"},
        {"x-auth-token": "x"},
        {"Content-Length": "3"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "close"},
        {"webhook-id": "x"},
        {"X-A": "a\r\nX-B: b"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_headers_that_hold_secrets_or_are_ours_are_refused(
    world: World, headers: dict[str, str]
) -> None:
    target = {"type": "http", "url": "http://127.0.0.1:9/", "headers": headers}

    answer = world.operator.ask("POST", "/v1/tasks", {"target": target})

    assert answer.status == 422, answer
    assert answer.code


def test_a_pattern_that_re2_has_no_words_for_is_refused(world: World) -> None:
    target = {"type": "http", "url": "http://127.0.0.1:9/", "expect_body": r"(a)\1"}

    answer = world.operator.ask("POST", "/v1/tasks", {"target": target})

    assert answer.status == 422, answer


def test_a_time_that_is_long_past_is_refused(world: World) -> None:
    body = {"target": HELLO, "run_at": "2026-01-01T00:00:00Z"}

    assert world.operator.ask("POST", "/v1/tasks", body).refusal == (422, "run_at_in_past")


@pytest.mark.parametrize("word", ["heartbeat", "complete", "fail", "once"])
def test_a_workers_word_about_an_odd_run_is_404(world: World, word: str) -> None:
    for name in ("a.T.T", "a.bTcTd", "a.TTT", "no-dot", "." * 30):
        body = {"attempt": 1, **({"key": "x"} if word == "once" else {})}
        answer = world.operator.ask("POST", f"/v1/runs/{name}/{word}", body)
        assert answer.refusal == (404, "not_found"), name


def test_a_key_whose_id_cannot_be_is_401(world: World) -> None:
    secret = "A" * 40
    for name in ("x" * 3_000, "", "-", "%00"):
        checksum = f"{crc32(f'{name}_{secret}'.encode()):08x}"
        for text in (f"otd_{name}_{secret}{checksum}", f"otd_{name}_{secret}"):
            stranger = User(world.stack.url, text, "")
            assert stranger.ask("GET", "/v1/schedules").refusal == (401, "unauthenticated")
