"""Turns the outcome of an attempt into the next life of the run's row.

Of what a handler returned it keeps small JSON, or a short text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from onthedot.records import attributes
from onthedot.records.runs.attempts import ATTEMPTS_KEPT, attempt_record
from onthedot.records.runs.run_row import Life, Run, ended
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_spec import Retry, Task
from onthedot.records.timings import BUSY_MAX_SEC
from onthedot.targets.python import unreadable_value

_RESULT_MAX, _NOTE_MAX = 4_096, 300
# An escape that was cut: an odd backslash, and the part of \\uXXXX after it.
_HALF = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-f]{0,3})?)\Z")


def kept(result: Any) -> Any:
    """Keeps a value if it is small JSON. Else it keeps as much text as a row has room for."""
    try:
        text = json.dumps(result, allow_nan=False)
    except Exception as fault:  # noqa: BLE001 a value may refuse in any way, and its run succeeded
        note = f"{unreadable_value.kind(result)} is no JSON: {unreadable_value.about(fault)}"
        text = unreadable_value.shown(result, _RESULT_MAX)
        return _cut(text, unreadable=True, note=note[:_NOTE_MAX])
    if len(text) <= _RESULT_MAX and not attributes.deep(text):
        return json.loads(text)
    return _cut(text, truncated=True)


def _cut(text: str, **marks: Any) -> dict[str, Any]:
    """Keeps as much of a text as fits together with the notes on it."""
    room = _RESULT_MAX - len(json.dumps({**marks, "text": ""}))
    # A quote or a backslash takes two characters that must stay together; a letter beyond ASCII
    # takes six.
    written = json.dumps(text)[1:-1][:room]
    halved = _HALF.search(written)
    return {**marks, "text": json.loads(f'"{written[: halved.start(1)] if halved else written}"')}


LOOK_MIN_SEC, LOOK_MAX_SEC = 3, 300
# The note on a run that was cancelled while its target worked.
CLOSED = "the connection was closed: the target may have acted, and may still be working"
LEFT = "the target did not stop: it may have acted, and may still be working"
_ANSWER_MAX = 2_000
_LONG = ("stack", "answer")
_TYPE_MAX, _MESSAGE_MAX, _STACK_MAX = 200, 1_000, 8_192


@dataclass(frozen=True, slots=True)
class Done:
    """The target did its work."""

    result: Any = None


@dataclass(frozen=True, slots=True)
class Again:
    """It failed, timed out or asked for another time. `after_sec` replaces the backoff."""

    outcome: Reason
    error: dict[str, Any] | None = None
    after_sec: int | None = None
    # What the next attempt gets from this one.
    checkpoint: Any = None

    @property
    def released(self) -> bool:
        """Tells whether the attempt gave the run back itself, which max_attempts does not count."""
        return self.outcome in (Reason.YIELDED, Reason.RELEASED)


@dataclass(frozen=True, slots=True)
class Dead:
    """It can never work."""

    reason: Reason
    error: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """The handler said that there is nothing to do."""

    note: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The target obeyed a request to cancel, or nobody waits for it because of one."""

    reason: Reason = Reason.USER
    note: str = ""


@dataclass(frozen=True, slots=True)
class Awaiting:
    """The target took the work and answers later: by a callback, or when its execution ends."""

    reason: Reason
    waits_on: str = ""


Answer = Done | Again | Dead | Skipped | Stopped | Awaiting


def error_of(kind: str, message: str, stack: str = "", answer: str = "") -> dict[str, Any]:
    """Describes an error. The fingerprint ignores digits and quoted text, so similar errors share
    it.

    `answer` is the beginning of an http target's answer; most errors have none.
    """
    message, stack = writable(message), writable(stack)
    plain = re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "", message)
    return {
        "type": kind[:_TYPE_MAX],
        "message": message[:_MESSAGE_MAX],
        "fingerprint": sha256(f"{kind}{plain}".encode()).hexdigest()[:12],
        "stack": stack[-_STACK_MAX:],
        **({"answer": writable(answer)[:_ANSWER_MAX]} if answer else {}),
    }


def words_of(failure: BaseException) -> str:
    """Returns the exception's text. It works even if the exception cannot be printed."""
    words = "its own text cannot be made"
    with suppress(Exception):
        words = str(failure)
    return writable(words)


def writable(text: str) -> str:
    """Replaces halves of surrogate pairs, which no store can write."""
    return text.encode("utf-8", "replace").decode()


def after(
    life: Life,
    task: Task,
    answer: Answer,
    *,
    now_ms: int,
    fraction: float,
    delivered: bool = False,
) -> Life:
    """Returns the life after an attempt: final, or retrying with its next due time.

    A success is only `delivered` if its target took the work over and does not report its end.
    """
    match answer:
        case Done(result):
            return ended(
                life, Status.SUCCEEDED, now_ms=now_ms, delivered=delivered, result=kept(result)
            )
        case Skipped(note):
            return ended(life, Status.SKIPPED, Reason.HANDLER, now_ms=now_ms, note=note)
        case Stopped(reason, note):
            return ended(life, Status.CANCELLED, reason, now_ms=now_ms, note=note)
        case Dead(reason, error):
            return ended(life, Status.DEAD, reason, now_ms=now_ms, error=error)
        case Awaiting(reason, waits_on):
            return _awaiting(life, task, reason, waits_on)
        case Again():
            if life.starts - life.released >= task.max_attempts and not answer.released:
                reason, error = Reason.ATTEMPTS_EXHAUSTED, answer.error
                return ended(life, Status.DEAD, reason, now_ms=now_ms, error=error)
            # Attempts that gave the run back, this one too, have not failed.
            failed = max(1, life.starts - life.released - answer.released)
            wait_sec = backoff_sec(task.retry, failed, fraction)
            if answer.after_sec is not None:
                wait_sec = answer.after_sec
            return _retrying(life, answer, now_ms, now_ms + max(1, wait_sec) * 1000)


def after_cancel(answer: Answer, run: Run) -> Answer:
    """Returns the outcome of an attempt whose run may have been asked to stop meanwhile.

    A success counts. A failure is not tried again, and nobody waits for its call.
    """
    if isinstance(answer, Stopped) and run.cancel_by == "previous":
        return replace(answer, reason=Reason.PREVIOUS)
    if not run.cancel_ms:
        return answer
    reason = Reason.PREVIOUS if run.cancel_by == "previous" else Reason.USER
    match answer:
        case Awaiting(_, ""):
            return Stopped(reason, LEFT)
        case Again():
            return Stopped(reason)
    return answer


def delivers(target: Mapping[str, Any]) -> bool:
    """Tells whether a target only takes the work over and does not report its end."""
    match target.get("type"):
        case "lambda":
            return target.get("mode") == "async"
        case "stepfunctions":
            return not target.get("wait")
        case kind:
            return kind in ("sqs", "sns", "eventbridge")


def next_look_sec(life: Life, now_ms: int) -> int:
    """Returns when to look again: after a quarter of its age, or at a callback's deadline."""
    left = max(1, -(-(life.lease_ms - now_ms) // 1000))
    if not life.its_attempt.waits_on:
        return min(BUSY_MAX_SEC, left)
    age = (now_ms - life.its_attempt.started_ms) // 1000
    return min(LOOK_MAX_SEC, left, max(LOOK_MIN_SEC, age // 4))


def _awaiting(life: Life, task: Task, reason: Reason, waits_on: str) -> Life:
    lease_ms = life.its_attempt.started_ms + task.timeout_sec * 1000
    attempt = replace(life.its_attempt, waits_on=waits_on, lease_ms=lease_ms)
    return replace(life, status=Status.AWAITING, reason=reason, attempt=attempt)


def _brief(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drops stack and answer: a row has no room for those of every attempt."""
    error = {name: value for name, value in record.get("error", {}).items() if name not in _LONG}
    return {**record, "error": error} if error else record


def _retrying(life: Life, answer: Again, now_ms: int, due_ms: int) -> Life:
    attempt = life.its_attempt
    record = attempt_record(attempt, answer.outcome.value, now_ms, answer.error)
    earlier = tuple(_brief(one) for one in life.attempts)
    return replace(
        life,
        status=Status.RETRYING,
        reason=answer.outcome,
        due_ms=due_ms,
        attempt=replace(attempt, lease_ms=0, first_started_ms=attempt.run_started_ms),
        booking=None,
        first_due_ms=life.due_first_ms,
        released=life.released + answer.released,
        checkpoint=life.checkpoint if answer.checkpoint is None else answer.checkpoint,
        attempts=(*earlier, record)[-ATTEMPTS_KEPT:],
    )


def backoff_sec(retry: Retry, attempt: int, fraction: float) -> int:
    """Returns the pause: `base`, doubled after each attempt up to the cap, with full jitter."""
    doubled = attempt - 1 if retry.backoff == "exponential" else 0
    wait = min(retry.cap_sec, retry.base_sec * 2**doubled)
    return int(wait * fraction) if retry.jitter == "full" else wait
