"""The targets by type: each takes a call, and gives what became of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError, ReadTimeoutError

from onthedot.adapters import clock, jobs, net, patterns, secrets
from onthedot.adapters import own as known_own
from onthedot.adapters.targets import (
    eventbridge,
    function,
    python,
    sns,
    sqs,
    stepfunctions,
)
from onthedot.core import own, refusals, webcall
from onthedot.core.call import Call
from onthedot.core.policy import CLOSED, Again, Answer, Dead, Stopped, error_of
from onthedot.core.web import Response, discreet
from onthedot.flows.hands import context_of

_log = logging.getLogger(__name__)


def _python(call: Call) -> Answer:
    name = call.target["handler"]
    handler = jobs.handlers().get(name)
    if handler is None:
        return Dead("handler_not_found", error_of("HandlerNotFound", f"no handler {name} in jobs"))
    return python.call(handler, context_of(call))


def _http(call: Call) -> Answer:
    wanted = webcall.request(call, _secrets(call.target), now_ms=clock.now_ms())
    seen = net.send(wanted, call.exchange)
    if isinstance(seen, Response):
        seen = discreet(seen, wanted)
    return webcall.answer(call, seen, matches=patterns.found, now_ms=clock.now_ms())


def _secrets(target: Mapping[str, Any]) -> dict[str, str]:
    """Look up what the target refers to; it is handed on and kept nowhere."""
    used = [use for use in ("auth", "sign") if target.get(use)]
    return {use: secrets.reveal(target[use]["secret_ref"]) for use in used}


def _judged(target: Callable[[Call], Answer], asked: Call) -> Answer:
    """AWS's own refusals say whether to ask again; those that a handler meets are its failures."""
    # What was registered by a former release, or for another stack, was not asked then.
    if ours := own.called(asked.target, known_own.known()):
        error = error_of("TargetForbidden", own.sentence(asked.target, ours))
        return Dead("target_forbidden", error)
    try:
        return target(asked)
    except HTTPClientError as failure:
        if asked.exchange.broken_off:
            return Stopped(note=CLOSED)
        if isinstance(failure, ReadTimeoutError):
            return Again("timed_out", error_of("TimedOut", str(failure)))
        raise
    except ClientError as refusal:
        _log.warning("run %s was refused: %s", asked.run_id, refusal)
        return refusals.judged(refusal.response)


TARGETS: dict[str, Callable[[Call], Answer]] = {
    "python": _python,
    "http": _http,
    "sqs": partial(_judged, sqs.call),
    "sns": partial(_judged, sns.call),
    "lambda": partial(_judged, function.call),
    "eventbridge": partial(_judged, eventbridge.call),
    "stepfunctions": partial(_judged, stepfunctions.call),
}
