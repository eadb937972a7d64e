"""What a tenant is shown of AWS's refusals: the code and the action, and nothing of the account."""

from __future__ import annotations

import pytest

from onthedot.targets.attempt_outcome import Again, Answer, Dead
from onthedot.targets.aws import refusals

WHO = "arn:aws:sts::123456789012:assumed-role/OnTheDot-WorkRole-1A2B/OnTheDot-FunctionsWork-3C"
SECRETS = ("123456789012", "WorkRole", "FunctionsWork")


def told(answer: Answer) -> str:
    assert isinstance(answer, Again | Dead)
    assert answer.error is not None
    assert not [word for word in SECRETS if word in repr(answer)]
    return f"{answer.error['type']}: {answer.error['message']}"


def test_who_was_denied_what_is_the_operators_to_know() -> None:
    message = (
        f"User: {WHO} is not authorized to perform: sqs:SendMessage on resource: "
        "arn:aws:sqs:eu-west-1:123456789012:mail because no identity-based policy allows it"
    )

    answer = refusals.answer("AccessDenied", message, 403)

    assert isinstance(answer, Dead)
    assert answer.reason == "target_forbidden"
    assert told(answer).startswith("AccessDenied: AWS does not allow sqs:SendMessage: ")


def test_a_denial_in_other_words_says_no_more() -> None:
    answer = refusals.answer("AccessDeniedException", f"{WHO} may not", 400)

    assert told(answer).startswith("AccessDeniedException: AWS does not allow the call: ")


@pytest.mark.parametrize("status", [400, 500])
def test_other_refusals_are_shown_without_arns_and_accounts(status: int) -> None:
    message = f"Function not found: {WHO}, in account 123456789012 (id 9876543210987)"

    answer = refusals.answer("ResourceNotFoundException", message, status)

    assert told(answer) == (
        "ResourceNotFoundException: Function not found: [arn], in account [account] "
        "(id 9876543210987)"
    )


@pytest.mark.parametrize(
    "code",
    ["InternalFailure", "SnapStartNotReadyException", "CodeArtifactUserPendingException"],
)
def test_what_aws_calls_passing_is_tried_again_whatever_its_status(code: str) -> None:
    answer = refusals.answer(code, "not yet", 400)

    assert isinstance(answer, Again)


@pytest.mark.parametrize(
    "code", ["NotAuthorizedForSourceException", "NotAuthorizedForDetailTypeException"]
)
def test_a_bus_that_lets_nobody_put_such_events_forbids_its_target(code: str) -> None:
    answer = refusals.answer(code, f"{WHO} may not", 400)

    assert isinstance(answer, Dead)
    assert answer.reason == "target_forbidden"
