"""What becomes of an attempt: retries are counted, spread and bounded, and ends are final."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.records.runs.attempts import ATTEMPTS_KEPT
from onthedot.records.runs.run_row import Life
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Retry
from onthedot.targets.attempt_outcome import (
    CLOSED,
    LEFT,
    Again,
    Answer,
    Awaiting,
    Dead,
    Done,
    Skipped,
    Stopped,
    after,
    after_cancel,
    backoff_sec,
    error_of,
    kept,
    next_look_sec,
    words_of,
)
from tests.schedule.samples import NOON_MS, law, lived, run, task

NOW_MS = NOON_MS + 1_000


def running(attempt: int = 1, released: int = 0) -> Life:
    """Returns an attempt under way."""
    seen = run(
        status="running",
        attempt=attempt,
        released=released,
        owner="W",
        started_ms=NOON_MS,
        lease_ms=NOW_MS,
    )
    return seen.life


def came(life: Life, answer: Answer, *, max_attempts: int = 3, fraction: float = 1.0) -> Life:
    """Returns the life after it."""
    of_task = task(max_attempts=max_attempts)
    return after(life, of_task, answer, now_ms=NOW_MS, fraction=fraction)


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (Done({"ok": 1}), "succeeded", ""),
        (Skipped("nothing to do"), "skipped", "handler"),
        (Stopped(), "cancelled", "user"),
        (Stopped(Reason.PREVIOUS), "cancelled", "previous"),
        (Dead(Reason.PERMANENT), "dead", "permanent"),
        (Dead(Reason.HANDLER_NOT_FOUND), "dead", "handler_not_found"),
    ],
)
def test_an_end_is_an_end_at_whichever_attempt(answer: Answer, status: str, reason: str) -> None:
    for attempt in (1, 3):
        life = came(running(attempt=attempt), answer)

        assert (life.status, life.reason, life.its_end.ended_ms) == (status, reason, NOW_MS)
        assert (life.starts, life.lease_ms) == (attempt, 0)


def test_an_end_keeps_what_was_said() -> None:
    error = error_of("Fail", "no")

    assert came(running(), Done({"ok": 1})).its_end.result == {"ok": 1}
    assert came(running(), Skipped("nothing to do")).its_end.note == "nothing to do"
    assert came(running(), Dead(Reason.PERMANENT, error)).its_end.error == error
    assert came(running(attempt=3), Again(Reason.FAILED, error)).its_end.error == error


@pytest.mark.parametrize("outcome", [Reason.FAILED, Reason.TIMED_OUT, Reason.LOST])
@pytest.mark.parametrize(
    ("attempt", "released", "status"),
    [(1, 0, "retrying"), (2, 0, "retrying"), (3, 0, "dead"), (4, 2, "retrying"), (5, 2, "dead")],
)
def test_attempts_are_counted_but_for_those_that_gave_the_run_back(
    outcome: Reason, attempt: int, released: int, status: str
) -> None:
    life = came(running(attempt=attempt, released=released), Again(outcome))

    assert life.status == status
    assert life.reason == (outcome if status == "retrying" else "attempts_exhausted")
    assert life.released == released


@pytest.mark.parametrize("outcome", [Reason.YIELDED, Reason.RELEASED])
def test_to_give_a_run_back_costs_no_attempt(outcome: Reason) -> None:
    life = came(running(attempt=1), Again(outcome, after_sec=60), max_attempts=1)

    assert (life.status, life.reason, life.released) == ("retrying", outcome, 1)
    assert life.due_ms == NOW_MS + 60_000


@pytest.mark.parametrize("outcome", [Reason.YIELDED, Reason.RELEASED])
def test_to_give_a_run_back_waits_no_longer_than_its_failures_ask_for(outcome: Reason) -> None:
    waits_sec = [
        (came(running(attempt=attempt), Again(outcome)).due_ms - NOW_MS) // 1000
        for attempt in (1, 2, 3)
    ]

    assert waits_sec == [5, 5, 10]


def test_a_failure_waits_by_those_before_it_that_failed_too() -> None:
    waits_sec = [
        (came(running(attempt, released), Again(Reason.FAILED), max_attempts=9).due_ms - NOW_MS)
        // 1000
        for attempt, released in ((1, 0), (2, 0), (3, 0), (3, 2), (4, 2))
    ]

    assert waits_sec == [5, 10, 20, 5, 10]


def test_a_retry_is_never_due_at_once() -> None:
    assert came(running(), Again(Reason.FAILED), fraction=0.0).due_ms == NOW_MS + 1_000
    assert came(running(), Again(Reason.FAILED, after_sec=0)).due_ms == NOW_MS + 1_000


def test_a_retry_keeps_what_became_of_the_attempt_and_when_the_run_first_began() -> None:
    error = error_of("ValueError", "no")
    first = came(running(), Again(Reason.FAILED, error))

    assert first.attempts == (
        {
            "attempt": 1,
            "worker": "W",
            "started_ms": NOON_MS,
            "ended_ms": NOW_MS,
            "outcome": "failed",
            "error": error,
        },
    )
    assert first.its_attempt.first_started_ms == NOON_MS
    assert first.lease_ms == 0


def test_a_later_retry_keeps_when_the_run_first_began_and_was_first_due() -> None:
    first = came(running(), Again(Reason.FAILED))
    again = lived(first, attempt=2, started_ms=NOW_MS + 9_000, due_ms=first.due_ms)
    second = came(again, Again(Reason.FAILED))

    assert (second.its_attempt.first_started_ms, second.first_due_ms) == (NOON_MS, NOON_MS)
    assert [record["attempt"] for record in second.attempts] == [1, 2]


def test_a_checkpoint_is_kept_until_another_one_is_left() -> None:
    left = came(running(), Again(Reason.YIELDED, checkpoint={"page": 1}))

    assert came(left, Again(Reason.FAILED)).checkpoint == {"page": 1}
    assert came(left, Again(Reason.YIELDED, checkpoint=0)).checkpoint == 0


def test_of_earlier_attempts_only_type_and_words_of_an_error_are_kept() -> None:
    error = error_of("ValueError", "no", "line 1", "<html>")
    first = came(running(), Again(Reason.FAILED, error))
    second = came(lived(first, attempt=2), Again(Reason.FAILED))

    assert first.attempts[0]["error"] == error
    assert second.attempts[0]["error"] == {
        name: error[name] for name in ("type", "message", "fingerprint")
    }
    assert "error" not in second.attempts[1]


def test_what_is_awaited_may_take_as_long_as_the_attempt() -> None:
    life = came(running(), Awaiting(Reason.CALLBACK, "arn:x"))

    assert (life.status, life.reason) == ("awaiting", "callback")
    assert life.its_attempt.waits_on == "arn:x"
    assert life.lease_ms == NOON_MS + task().timeout_sec * 1000


@pytest.mark.parametrize(
    ("age_sec", "left_ms", "look_sec"),
    [
        (0, 600_000, 3),
        (15, 600_000, 3),
        (16, 600_000, 4),
        (400, 600_000, 100),
        (1_200, 900_000, 300),
        (4_000, 900_000, 300),
        (4_000, 20_001, 21),
        (4_000, 20_000, 20),
        (4_000, 0, 1),
        (4_000, -9_000, 1),
    ],
)
def test_an_execution_is_looked_at_after_a_quarter_of_its_age(
    age_sec: int, left_ms: int, look_sec: int
) -> None:
    life = lived(running(), waits_on="arn:x", lease_ms=NOON_MS + age_sec * 1000 + left_ms)

    assert next_look_sec(life, NOON_MS + age_sec * 1000) == look_sec


@pytest.mark.parametrize(
    ("left_ms", "look_sec"), [(3_600_000, 900), (900_000, 900), (40_001, 41), (1, 1), (-1, 1)]
)
def test_a_callback_is_looked_for_when_its_time_is_up(left_ms: int, look_sec: int) -> None:
    life = lived(running(), lease_ms=NOW_MS + left_ms)

    assert next_look_sec(life, NOW_MS) == look_sec


def test_only_so_many_attempts_are_kept() -> None:
    life = running()
    for attempt in range(1, 80):
        life = came(running(attempt=attempt), Again(Reason.FAILED), max_attempts=100)
        kept = (*life.attempts,) * 60

    assert len(kept) == 60
    full = run(status="running", attempt=60, attempts=kept).life
    assert len(came(full, Again(Reason.FAILED), max_attempts=100).attempts) == ATTEMPTS_KEPT


def test_a_hundred_attempts_with_a_stack_each_fit_into_a_row() -> None:
    error = error_of("ValueError", "m" * 1_000, "s" * 8_192)
    life = running()
    for attempt in range(1, 100):
        life = came(lived(life, attempt=attempt), Again(Reason.FAILED, error), max_attempts=100)

    assert len(str(life.stored())) < 100_000
    assert life.attempts[-1]["error"] == error
    assert [record["error"]["message"] for record in life.attempts] == ["m" * 1_000] * 50


@pytest.mark.parametrize("result", [None, 0, "text", [1, {"a": 0.5}], {"x": "y" * 4_000}])
def test_a_result_that_is_json_and_small_is_kept(result: object) -> None:
    assert came(running(), Done(result)).its_end.result == result


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError("not me")


@pytest.mark.parametrize(
    ("result", "kind", "text"),
    [
        ({1, 2}, "set", "{1, 2}"),
        (object(), "object", "<object object>"),
        ({"a": [object()]}, "dict", "{'a': [<object object>]}"),
        (float("nan"), "float", "nan"),
        (1j, "complex", "1j"),
        (b"bytes", "bytes", "b'bytes'"),
        (date.max, "datetime.date", "datetime.date(9999, 12, 31)"),
        (Shy(), "tests.targets.test_attempt_outcome.Shy", "<Shy instance>"),
    ],
)
def test_what_is_no_json_is_kept_as_its_text_with_its_type(
    result: object, kind: str, text: str
) -> None:
    life = came(running(), Done(result))

    assert life.status == "succeeded"
    assert life.its_end.result["unreadable"] is True
    assert life.its_end.result["note"].startswith(f"{kind} is no JSON: ")
    assert life.its_end.result["text"] == text
    assert " at 0x" not in str(life.its_end.result)


def test_values_that_are_alike_are_kept_alike() -> None:
    assert kept([object()]) == kept([object()])


@pytest.mark.parametrize("result", [{"z" * 9_000}, b"x" * 1_000_000, [object()] * 100_000])
def test_a_large_value_that_is_no_json_is_cut(result: object) -> None:
    shown = kept(result)

    assert shown["unreadable"] is True
    assert len(json.dumps(shown)) <= 4_096
    assert kept(shown) == shown


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\\", '"', "\U0001f600", "\n"])
@pytest.mark.parametrize("beside", range(7))
def test_a_cut_falls_between_letters(letter: str, beside: int) -> None:
    assert len(json.dumps(kept("-" * beside + letter * 9_000))) <= 4_096


@pytest.mark.parametrize("result", ["x" * 9_000, {"x": ["y" * 100] * 100}, ['"\\\n'] * 2_000])
def test_a_large_result_is_cut_once_and_says_so(result: object) -> None:
    shown = kept(result)

    assert shown["truncated"] is True
    assert json.dumps(result, default=repr).startswith(shown["text"][:1_000])
    assert 4_000 < len(json.dumps(shown)) <= 4_096
    assert came(running(), Done(shown)).its_end.result == shown


def test_a_result_nested_deeper_than_is_safe_to_read_is_kept_as_text() -> None:
    safe = json.loads("[" * 100 + "]" * 100)
    deeper = json.loads('{"a}":' * 101 + '"]"' + "}" * 101)

    assert kept(safe) == safe
    assert kept(deeper)["text"].startswith('{"a}": {"a}": ')


@law
@given(
    bounds=st.tuples(st.integers(1, 86_400), st.integers(1, 86_400)),
    attempt=st.integers(1, 100),
    fraction=st.floats(0, 1),
    backoff=st.sampled_from(["exponential", "fixed"]),
)
def test_full_jitter_lies_between_nothing_and_the_plain_wait(
    bounds: tuple[int, int], attempt: int, fraction: float, backoff: str
) -> None:
    base, cap = sorted(bounds)
    full = Retry(backoff=backoff, base_sec=base, cap_sec=cap)
    plain = Retry(backoff=backoff, base_sec=base, cap_sec=cap, jitter="none")
    wait = backoff_sec(plain, attempt, fraction)

    assert base <= wait <= cap
    assert 0 <= backoff_sec(full, attempt, fraction) <= wait
    assert backoff_sec(full, attempt, 1.0) == wait


def test_exponential_doubles_up_to_the_cap_and_fixed_stays() -> None:
    doubling = Retry(jitter="none")
    fixed = Retry(backoff="fixed", jitter="none")

    waits = [backoff_sec(doubling, attempt, 0) for attempt in range(1, 11)]
    assert waits == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]
    assert {backoff_sec(fixed, attempt, 0) for attempt in range(1, 11)} == {5}


def test_what_cannot_say_what_it_is_has_words_all_the_same() -> None:
    class Mute(Exception):  # noqa: N818  # as some user may name it
        def __str__(self) -> str:
            raise RuntimeError

    assert words_of(ValueError("no")) == "no"
    assert words_of(ValueError("half \ud800")) == "half ?"
    assert words_of(Mute()) == "its own text cannot be made"


def test_an_answer_is_kept_in_part_if_there_is_any() -> None:
    assert len(error_of("X", "no", answer="a" * 3_000)["answer"]) == 2_000
    assert "answer" not in error_of("X", "no")


def test_an_error_is_cut_and_likes_have_one_fingerprint() -> None:
    error = error_of("ValueError", "x" * 2_000, "y" * 9_000)

    assert (len(error["message"]), len(error["stack"])) == (1_000, 8_192)
    prints = {
        error_of("ValueError", f"order {number} of '{name}' is gone")["fingerprint"]
        for number, name in ((1, "a"), (77, "b c"))
    }
    assert len(prints) == 1
    assert len(prints.pop()) == 12
    assert error_of("KeyError", "x")["fingerprint"] != error_of("ValueError", "x")["fingerprint"]


@pytest.mark.parametrize(
    ("answer", "by", "became"),
    [
        (Done(1), "user", Done(1)),
        (Dead(Reason.PERMANENT), "user", Dead(Reason.PERMANENT)),
        (Again(Reason.FAILED), "user", Stopped(Reason.USER)),
        (Again(Reason.FAILED), "previous", Stopped(Reason.PREVIOUS)),
        (Awaiting(Reason.CALLBACK), "user", Stopped(Reason.USER, LEFT)),
        (Awaiting(Reason.EXECUTION, "arn"), "user", Awaiting(Reason.EXECUTION, "arn")),
        (Stopped(note=CLOSED), "previous", Stopped(Reason.PREVIOUS, CLOSED)),
        (Stopped(Reason.TASK_DELETED), "user", Stopped(Reason.TASK_DELETED)),
    ],
)
def test_what_was_asked_to_stop_does_not_go_on(answer: Answer, by: str, became: Answer) -> None:
    assert after_cancel(answer, run(status="running", cancel_ms=1, cancel_by=by)) == became


def test_what_nobody_asked_to_stop_goes_on() -> None:
    assert after_cancel(Again(Reason.FAILED), run(status="running")) == Again(Reason.FAILED)


def test_who_was_not_waited_for_says_so() -> None:
    stopped = after(running(), task(), Stopped(note=LEFT), now_ms=1, fraction=0)

    assert (stopped.status, stopped.reason, stopped.its_end.note) == ("cancelled", "user", LEFT)
