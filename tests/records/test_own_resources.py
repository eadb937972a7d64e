"""What is the scheduler's own is known by its name, however an address is written."""

from __future__ import annotations

import pytest

from onthedot.records.own_resources import called, ours

NORMAL = "OnTheDot-QueuesNormal9A8B7C6D-Zz91k0aAbBcC"
OURS = ours([NORMAL, "OnTheDot-FunctionsApi01234567-x1y2"], "OnTheDot")
HOST = "https://sqs.eu-west-1.amazonaws.com/123456789012"


@pytest.mark.parametrize(
    "url",
    [
        f"{HOST}/{NORMAL}",
        f"{HOST}/{NORMAL}/",
        f"{HOST}/{NORMAL}?Action=SendMessage",
        f"{HOST}/{NORMAL}#x",
        f"{HOST}//{NORMAL}",
        f"{HOST}/{NORMAL.upper()}",
        f"{HOST}/%4f{NORMAL[1:]}",
        f"{HOST}?QueueName={NORMAL}",
        f"https://eu-west-1.queue.amazonaws.com/123456789012/{NORMAL}",
        f"https://sqs-fips.eu-west-1.amazonaws.com/123456789012/{NORMAL}",
        f"https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com/123456789012/{NORMAL}",
        f"https://sqs.eu-west-1.api.aws/123456789012/{NORMAL}",
        f"https://sqs.us-east-1.amazonaws.com/999999999999/{NORMAL}",
        f"http://127.0.0.1:4566/{NORMAL}",
        f"https://user@sqs.eu-west-1.amazonaws.com/123456789012/{NORMAL}",
        f"arn:aws:sqs:eu-west-1:123456789012:{NORMAL}",
        f"{HOST}/OnTheDot-QueuesDead11223344-other",
    ],
)
def test_a_queue_of_ours_is_told_in_every_spelling(url: str) -> None:
    assert called({"type": "sqs", "queue_url": url}, OURS) == "queue_url"


@pytest.mark.parametrize(
    ("field", "arn"),
    [
        ("function_arn", "arn:aws:lambda:eu-west-1:1:function:OnTheDot-FunctionsApi01234567-x1y2"),
        ("function_arn", "arn:aws:lambda:eu-west-1:1:function:OnTheDot-FunctionsWork89AB-z:live"),
        ("topic_arn", "arn:aws:sns:eu-west-1:1:OnTheDot-AlarmsTopic4455-q"),
    ],
)
def test_functions_and_the_topic_of_the_stack_are_told_by_its_name(field: str, arn: str) -> None:
    assert called({"type": "any", field: arn}, OURS) == field


@pytest.mark.parametrize(
    "target",
    [
        {"type": "sqs", "queue_url": f"{HOST}/mail"},
        {"type": "sqs", "queue_url": f"{HOST}/OnTheDot-mail"},
        {"type": "sqs", "queue_url": f"{HOST}/normal", "group_id": NORMAL},
        {"type": "lambda", "function_arn": "arn:aws:lambda:eu-west-1:1:function:OnTheDot-Mine"},
        {"type": "eventbridge", "bus": "default", "source": NORMAL},
        {"type": "http", "url": f"https://example.com/{NORMAL}"},
    ],
)
def test_what_is_not_ours_is_left_alone(target: dict[str, str]) -> None:
    assert called(target, OURS) is None


def test_a_stack_without_a_name_claims_nothing_by_it() -> None:
    assert called({"queue_url": f"{HOST}/-queues-of-mine"}, ours([NORMAL], "")) is None
