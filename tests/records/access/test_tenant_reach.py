"""What a tenant may call: each target's names, held against patterns part by part."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.targets import _ACTIONS
from onthedot.records.access import tenant_reach
from onthedot.records.access.tenant_reach import Home, beyond, fits, mistake, patterns_for, reached
from tests.schedule.samples import law

HOME = Home("eu-west-1", "123456789012")
HTTP = {"type": "http", "url": "https://example.com"}
SECRET = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:acme/api"  # noqa: S105  a name
TARGETS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "http": (HTTP, []),
    "auth": (HTTP | {"auth": {"secret_ref": SECRET}}, [SECRET]),
    "auth and sign": (
        HTTP | {"auth": {"secret_ref": SECRET}, "sign": {"secret_ref": "ssm:/acme/sign"}},
        [SECRET, "arn:aws:ssm:eu-west-1:123456789012:parameter/acme/sign"],
    ),
    "pull": ({"type": "pull", "queue": "emails"}, []),
    "python": ({"type": "python", "handler": "hello"}, ["python:hello"]),
    "sns": ({"type": "sns", "topic_arn": "arn:aws:sns:a:b:t"}, ["arn:aws:sns:a:b:t"]),
    "lambda": (
        {"type": "lambda", "function_arn": "arn:aws:lambda:a:b:function:f"},
        ["arn:aws:lambda:a:b:function:f"],
    ),
    "bus by name": (
        {"type": "eventbridge", "bus": "default"},
        ["arn:aws:events:eu-west-1:123456789012:event-bus/default"],
    ),
    "bus": (
        {"type": "eventbridge", "bus": "arn:aws:events:a:b:event-bus/c"},
        ["arn:aws:events:a:b:event-bus/c"],
    ),
    "states": (
        {"type": "stepfunctions", "state_machine_arn": "arn:aws:states:a:b:stateMachine:m"},
        ["arn:aws:states:a:b:stateMachine:m"],
    ),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_a_target_is_named_as_patterns_name_it(kind: str) -> None:
    target, names = TARGETS[kind]

    assert reached(target, HOME) == names


@pytest.mark.parametrize("kind", TARGETS)
def test_without_patterns_only_http_and_pull_are_left(kind: str) -> None:
    target, names = TARGETS[kind]

    assert beyond(target, [], HOME) == (names[0] if names else None)
    assert beyond(target, names, HOME) is None


def test_each_of_two_secrets_must_be_covered() -> None:
    target, (auth, sign) = TARGETS["auth and sign"]

    assert beyond(target, [auth], HOME) == sign
    assert beyond(target, [sign], HOME) == auth


@pytest.mark.parametrize(
    ("url", "arn"),
    [
        ("https://sqs.us-east-2.amazonaws.com/1/q", "arn:aws:sqs:us-east-2:1:q"),
        ("https://sqs-fips.us-east-2.amazonaws.com/1/q", "arn:aws:sqs:eu-west-1:1:q"),
        ("https://us-east-2.queue.amazonaws.com/1/q", "arn:aws:sqs:us-east-2:1:q"),
        ("https://vpce-1.sqs.us-east-2.vpce.amazonaws.com/1/q", "arn:aws:sqs:eu-west-1:1:q"),
        ("https://sqs.cn-north-1.amazonaws.com.cn/1/q", "arn:aws-cn:sqs:cn-north-1:1:q"),
        ("https://sqs.us-gov-west-1.amazonaws.com/1/q", "arn:aws-us-gov:sqs:us-gov-west-1:1:q"),
        ("http://127.0.0.1:4566/000000000000/q.fifo", "arn:aws:sqs:eu-west-1:000000000000:q.fifo"),
        ("http://127.0.0.1:4566/q", "arn:aws:sqs:eu-west-1:123456789012:q"),
    ],
)
def test_a_queue_is_told_by_the_account_and_the_name_in_its_address(url: str, arn: str) -> None:
    assert reached({"type": "sqs", "queue_url": url}, HOME) == [arn]


@pytest.mark.parametrize(
    "address",
    [
        "sqs/1/acme-x/beta",
        "sqs/1/beta/acme-x",
        "sqs/1/acme-%2Fbeta",
        "sqs/1/acme-x/../beta",
        "sqs/1/acme-x?q=b",
        "sqs/1/acme-x#/1/beta",
        "[/1/acme-x",
        "[acme]/1/acme-x",
    ],
)
def test_an_address_that_could_be_read_in_two_ways_is_covered_by_nothing(address: str) -> None:
    target = {"type": "sqs", "queue_url": f"https://{address}"}

    assert beyond(target, ["arn:*:sqs:*:*:*"], HOME) == target["queue_url"]


def test_a_secret_that_is_read_by_way_of_a_parameter_is_a_secret() -> None:
    reference = {"secret_ref": "ssm:/aws/reference/secretsmanager/beta/api"}
    target = HTTP | {"auth": reference}
    beta = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:beta/api"

    assert beyond(target, ["arn:aws:ssm:*:*:parameter/*"], HOME) == beta
    assert beyond(target, [beta], HOME) is None


QUEUE = "arn:aws:sqs:eu-west-1:123456789012:acme-mail"


@pytest.mark.parametrize(
    ("pattern", "thing", "covers"),
    [
        ("arn:aws:sqs:*:*:acme-*", QUEUE, True),
        ("arn:*:sqs:*:*:*", QUEUE, True),
        (QUEUE, QUEUE, True),
        ("arn:aws:sqs:*:*:*-mail", QUEUE, True),
        ("arn:aws:sqs:*:*:a*e*m*l", QUEUE, True),
        ("arn:aws:sqs:*:*:acme", QUEUE, False),
        ("arn:aws:sqs:*:*:beta-*", QUEUE, False),
        ("arn:aws:sqs:us-*:*:acme-*", QUEUE, False),
        ("arn:aws:sqs:*:210987654321:acme-*", QUEUE, False),
        ("arn:aws:sns:*:*:acme-*", QUEUE, False),
        ("arn:aws:lambda:*:*:function:acme-*", "arn:aws:lambda:a:b:function:acme-x:live", True),
        ("arn:aws:lambda:*:function:acme-*", "arn:aws:lambda:a:b:function:acme-x", False),
        ("arn:aws:lambda:*:*:acme-*", "arn:aws:lambda:a:b:function:acme-x", False),
        ("python:*", "python:hello", True),
        ("python:acme_*", "python:acme_mail", True),
        ("python:acme_*", "python:hello", False),
        ("python:*", QUEUE, False),
        ("arn:*:sqs:*:*:*", "python:hello", False),
    ],
)
def test_a_pattern_is_held_against_a_name_part_by_part(
    pattern: str, thing: str, *, covers: bool
) -> None:
    assert tenant_reach._covers(pattern, thing) is covers  # noqa: SLF001  the rule by itself


LETTERS = st.text("ab", max_size=8)


@law
@given(LETTERS, st.text("ab*", max_size=6))
def test_stars_match_as_a_regular_expression_says(text: str, pattern: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))

    assert tenant_reach._like(text, pattern) == bool(re.fullmatch(expression, text))  # noqa: SLF001


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        (QUEUE, ""),
        ("arn:aws:sqs:*:*:acme-*", ""),
        ("python:*", ""),
        ("python:acme.mail-1_*", ""),
        ("*", "python:name, or an ARN of events, lambda"),
        ("arn:aws:s3:::bucket", "python:name, or an ARN of events, lambda"),
        ("arn:aws:*:*:*:*", "python:name, or an ARN of events, lambda"),
        ("arn:aws:sqs:*", "python:name, or an ARN of events, lambda"),
        ("python:", "a handler's name"),
        ("python:a b", "a handler's name"),
        ("arn:aws:sqs:*:*:a b", "ASCII without blanks"),
        (f"arn:aws:sqs:*:*:{'a' * 300}", "up to 300"),
    ],
)
def test_what_is_no_pattern_is_told_so(pattern: str, wrong: str) -> None:
    said = mistake(pattern)

    assert wrong in said if wrong and said else said is None and not wrong


def test_patterns_know_what_the_worker_may_be_granted() -> None:
    assert set(_ACTIONS) == tenant_reach.SERVICES


def test_while_an_upgrade_looks_only_registrations_are_held_to_the_list() -> None:
    item = {"most": 0, "targets": ["python:a"], "looking": True}

    assert tenant_reach.at_registration(item) == ["python:a"]
    assert tenant_reach.at_call(item) is None
    assert tenant_reach.at_call({"targets": []}) == []
    assert tenant_reach.at_call({"most": 3}) is tenant_reach.at_call(None) is None


def test_what_is_in_use_is_named_exactly_where_there_is_room_and_by_kind_where_not() -> None:
    few = [f"arn:aws:sqs:a:b:q{n}" for n in range(3)]
    many = [f"arn:aws:sqs:a:b:q{n}" for n in range(101)] + ["python:a"]

    assert patterns_for([*few, *few]) == few
    assert patterns_for(many) == ["arn:*:sqs:*:*:*", "python:*"]
    assert patterns_for([*few, f"{few[0]}{'q' * 300}"]) == ["arn:*:sqs:*:*:*"]
    assert patterns_for(["arn:nothing", "http://127.0.0.1/1/2/3", *few]) == few
    assert not fits(many)
