"""Handlers in this process: what they return or raise becomes the attempt's answer."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from typing import Any

from onthedot.core.context import Context
from onthedot.core.handler import Handler, PayloadMismatch, arguments
from onthedot.core.policy import Again, Answer, Dead, Done, Skipped, Stopped, error_of, kept
from onthedot.core.raised import Cancelled, Fail, LeaseLost, RetryLater, Skip, TimedOut


def call(handler: Handler[..., Any], context: Context) -> Answer:
    """Call a handler, synchronous or not; any other exception is a failed attempt."""
    try:
        given = arguments(handler, context, context.payload)
    except PayloadMismatch as mismatch:
        return Dead("payload_unreadable", error_of("PayloadMismatch", str(mismatch)))
    try:
        result = handler.function(**given)
        if inspect.isawaitable(result):
            result = asyncio.run(_awaited(result))
        # Here, where it is the handler's own fault if its value cannot even be shown.
        return Done(kept(result))
    except Skip as skip:
        return Skipped(str(skip))
    except RetryLater as later:
        return Again("yielded", after_sec=later.after, checkpoint=later.checkpoint)
    except Fail as failure:
        return Dead("permanent", error_of("Fail", str(failure), traceback.format_exc()))
    except Cancelled:
        return Stopped()
    except TimedOut:
        return Again("timed_out", error_of("TimedOut", "the handler stopped at its deadline"))
    except LeaseLost as lost:
        return Again("lost", error_of("LeaseLost", str(lost)))


async def _awaited(result: Any) -> Any:
    return await result
