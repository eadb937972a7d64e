"""Runs handlers in this process. What they return or raise becomes the attempt's answer."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import (
    Again,
    Answer,
    Dead,
    Done,
    Skipped,
    Stopped,
    error_of,
    kept,
    words_of,
)
from onthedot.targets.python import trace
from onthedot.targets.python.context import Context
from onthedot.targets.python.handler import Handler, PayloadMismatch, arguments
from onthedot.targets.python.signals import (
    Cancelled,
    Fail,
    LeaseLost,
    RetryLater,
    Skip,
    Stop,
    TimedOut,
)

# Characters, as many as an error's message has: the note stands on the run's row.
_NOTE_MAX = 1_000


def call(handler: Handler[..., Any], context: Context) -> Answer:
    """Calls a handler, synchronous or not. Any other exception is a failed attempt."""
    try:
        given = arguments(handler, context, context.payload)
    except PayloadMismatch as mismatch:
        return Dead(Reason.PAYLOAD_UNREADABLE, error_of("PayloadMismatch", str(mismatch)))
    try:
        result = handler.function(**given)
        if inspect.isawaitable(result):
            result = asyncio.run(_awaited(result))
        # Here, because a value that cannot be shown is the handler's own fault.
        return Done(kept(result))
    except BaseException as raised:
        answer = _meant(_alone(raised))
        if answer is None:
            raise
        return answer


def _alone(raised: BaseException) -> BaseException:
    """Unwraps what a TaskGroup raised. If all of it is signals to us, the first one counts."""
    while isinstance(raised, BaseExceptionGroup):
        words, others = raised.split((Stop, Fail, RetryLater, Skip))
        if words is None or others is not None:
            return raised
        raised = words.exceptions[0]
    return raised


def _meant(raised: BaseException) -> Answer | None:
    """Turns a signal into an answer. None leaves the error to the worker."""
    match raised:
        case Skip():
            return Skipped(words_of(raised)[:_NOTE_MAX])
        case RetryLater():
            return Again(Reason.YIELDED, after_sec=raised.after, checkpoint=raised.checkpoint)
        case Fail():
            return Dead(Reason.PERMANENT, error_of("Fail", words_of(raised), trace.shown(raised)))
        case Cancelled():
            return Stopped()
        case TimedOut():
            return Again(
                Reason.TIMED_OUT, error_of("TimedOut", "the handler stopped at its deadline")
            )
        case LeaseLost():
            return Again(Reason.LOST, error_of("LeaseLost", words_of(raised)))
        case Exception():
            return None
    # sys.exit() and the like end the attempt, not the process in which others run.
    kind = type(raised).__name__
    message = f"the handler left by {kind}: {words_of(raised)}"
    return Again(Reason.FAILED, error_of(kind, message, trace.shown(raised)))


async def _awaited(result: Any) -> Any:
    return await result
