"""Whatever a receiver does, the attempt ends as the table of docs/targets.md says."""

from __future__ import annotations

import time
from typing import Any

import pytest

from onthedot.records.runs.run_status import Reason
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Dead, Done
from onthedot.targets.call import Call
from onthedot.work.target_call import deliver
from tests.targets.receiver import Receiver, call_fields

METADATA = "http://169.254.169.254/latest/meta-data/"


def outcome(url: str, *, patience_sec: float = 30, **target: Any) -> Answer:  # noqa: ANN401 any field
    """Calls an http target that may take so long."""
    asked = {"type": "http", "url": url, **target}
    deadline_ms = clock.now_ms() + int(patience_sec * 1000)
    return deliver(Call(**call_fields(target=asked, deadline_ms=deadline_ms)))


def failed(answer: Answer) -> str:
    """Returns what a failed attempt, which is tried again, is said to have failed of."""
    assert isinstance(answer, Again)
    assert answer.error is not None
    return f"{answer.outcome}: {answer.error['type']}"


def dead(answer: Answer) -> str:
    """Returns what a run that is not tried again died of."""
    assert isinstance(answer, Dead)
    assert answer.error is not None
    return f"{answer.reason}: {answer.error['type']}"


def test_an_expected_status_is_a_success_with_its_answer(receiver: Receiver) -> None:
    assert outcome(f"{receiver.url}/ok") == Done({"status": 200, "body": {"done": True}})
    assert outcome(f"{receiver.url}/chunked") == Done({"status": 200, "body": "abcdef"})


def test_what_a_failing_target_answered_is_no_stack(receiver: Receiver) -> None:
    receiver.answers = [(500, {}, b"no such table " + b"x" * 9_000)]
    failing = outcome(f"{receiver.url}/answer")
    unexpected = outcome(f"{receiver.url}/ok", expect_body="never")

    assert isinstance(failing, Again)
    assert failing.error is not None
    assert failing.error["stack"] == ""
    assert failing.error["message"] == "the target answered 500"
    assert failing.error["answer"].startswith("no such table x")
    assert len(failing.error["answer"]) == 2_000
    assert isinstance(unexpected, Again)
    assert unexpected.error is not None
    assert (unexpected.error["stack"], unexpected.error["answer"]) == ("", '{"done":true}')


@pytest.mark.parametrize("status", [500, 502, 503, 504, 404, 408, 409, 425, 429])
def test_a_failure_that_may_pass_is_tried_again(receiver: Receiver, status: int) -> None:
    assert failed(outcome(f"{receiver.url}/status?code={status}")) == f"failed: Status{status}"


@pytest.mark.parametrize("status", [400, 401, 403, 405, 410, 413, 422, 501])
def test_a_request_that_is_wrong_is_not_sent_again(receiver: Receiver, status: int) -> None:
    assert dead(outcome(f"{receiver.url}/status?code={status}")) == f"permanent: Status{status}"


@pytest.mark.parametrize(
    ("status", "expected", "good"),
    [
        (404, ["2xx", "404"], True),
        (404, [404], True),
        (302, ["3xx"], True),
        (201, ["200"], False),
        (204, ["2xx"], True),
    ],
)
def test_what_is_expected_is_for_the_task_to_say(
    receiver: Receiver, status: int, expected: list[object], *, good: bool
) -> None:
    answer = outcome(f"{receiver.url}/status?code={status}", expect_status=expected)

    assert isinstance(answer, Done) == good


def test_a_body_that_does_not_match_is_a_failure(receiver: Receiver) -> None:
    url = f"{receiver.url}/ok"

    assert isinstance(outcome(url, expect_body='"done": ?true'), Done)
    assert failed(outcome(url, expect_body="^finished$")) == "failed: UnexpectedBody"


def test_a_pattern_made_to_take_for_ever_takes_no_longer_than_any_other(
    receiver: Receiver,
) -> None:
    began = time.monotonic()
    answer = outcome(f"{receiver.url}/big", expect_body="(x+x+)+y")

    assert failed(answer) == "failed: UnexpectedBody"
    assert time.monotonic() - began < 5


def test_a_receiver_that_hangs_times_out(receiver: Receiver) -> None:
    assert failed(outcome(f"{receiver.url}/hang", patience_sec=0.3)) == "timed_out: TimedOut"


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_receiver_that_drips_bytes_times_out_when_its_time_is_over(
    receiver: Receiver, part: str
) -> None:
    began = time.monotonic()
    answer = outcome(f"{receiver.url}/drip-{part}", patience_sec=0.5)

    assert failed(answer) == "timed_out: TimedOut"
    # The whole of it would drip for a minute.
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("how", ["reset", "hang-up", "nonsense"])
def test_a_connection_that_breaks_is_tried_again(receiver: Receiver, how: str) -> None:
    assert failed(outcome(f"{receiver.url}/{how}")) == "failed: ConnectionFailed"


@pytest.mark.usefixtures("allowed")
def test_nobody_listening_is_tried_again() -> None:
    assert failed(outcome("http://127.0.0.1:1/")) == "failed: ConnectionFailed"


def test_a_name_that_is_nowhere_is_tried_again() -> None:
    assert failed(outcome("http://nowhere.invalid/")) == "failed: ConnectionFailed"


@pytest.mark.parametrize(
    ("after", "seconds"), [("120", 120), ("999999999", 86_400), ("soon", None)]
)
def test_a_busy_receiver_says_when_to_come_back(
    receiver: Receiver, after: str, seconds: int | None
) -> None:
    receiver.answers = [(429, {"retry-after": after}, b"")]

    answer = outcome(f"{receiver.url}/answer")

    assert isinstance(answer, Again)
    assert answer.after_sec == seconds


def test_a_date_to_come_back_at_is_understood_too(receiver: Receiver) -> None:
    receiver.answers = [(503, {"retry-after": "Wed, 01 Jan 2200 00:00:00 GMT"}, b"")]

    answer = outcome(f"{receiver.url}/answer")

    assert isinstance(answer, Again)
    assert answer.after_sec == 86_400


def test_ten_megabytes_are_a_success_of_which_the_beginning_is_kept(receiver: Receiver) -> None:
    answer = outcome(f"{receiver.url}/big")

    assert isinstance(answer, Done)
    assert answer.result["cut"]
    assert len(answer.result["body"]) <= 4_096


def test_a_redirect_is_not_followed_unless_asked_for(receiver: Receiver) -> None:
    url = f"{receiver.url}/redirect?to=/ok"

    assert dead(outcome(url)) == "permanent: Status302"
    assert isinstance(outcome(url, follow_redirects=True), Done)


def test_a_redirect_to_the_metadata_address_is_refused_where_it_is_followed(
    receiver: Receiver,
) -> None:
    url = f"{receiver.url}/redirect?to={METADATA}"

    assert dead(outcome(url)) == "permanent: Status302"
    assert dead(outcome(url, follow_redirects=True)) == "target_forbidden: TargetForbidden"


def test_redirects_without_end_are_a_failure(receiver: Receiver) -> None:
    url = f"{receiver.url}/redirect?to=/redirect?to=/answer"
    receiver.answers = [(302, {"location": "/answer"}, b"")]

    assert failed(outcome(url, follow_redirects=True)) == "failed: ConnectionFailed"


def test_a_callback_is_awaited_once_the_work_is_taken_on(receiver: Receiver) -> None:
    url = f"{receiver.url}/status?code="

    assert outcome(url + "202", complete="callback") == Awaiting(Reason.CALLBACK)
    assert isinstance(outcome(url + "503", complete="callback"), Again)
