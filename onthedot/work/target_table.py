"""Lists the targets by type. Each takes a call and returns an answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError, ReadTimeoutError

from onthedot.records import own_resources
from onthedot.records.runs.run_status import Reason
from onthedot.store import aws, clock
from onthedot.targets.attempt_outcome import CLOSED, Again, Answer, Dead, Stopped, error_of
from onthedot.targets.aws import eventbridge, function, refusals, sns, sqs, stepfunctions
from onthedot.targets.call import Call
from onthedot.targets.http import http_client, http_target, patterns, secrets
from onthedot.targets.http.web_exchange import Response, discreet
from onthedot.targets.python import handler_target, job_handlers
from onthedot.targets.python.cloud_context import context_of

_log = logging.getLogger(__name__)


def _python(call: Call) -> Answer:
    name = call.target["handler"]
    handler = job_handlers.handlers().get(name)
    if handler is None:
        return Dead(
            Reason.HANDLER_NOT_FOUND, error_of("HandlerNotFound", f"no handler {name} in jobs")
        )
    return handler_target.call(handler, context_of(call))


def _http(call: Call) -> Answer:
    wanted = http_target.request(call, _secrets(call.target), now_ms=clock.now_ms())
    seen = http_client.send(wanted, call.exchange)
    if isinstance(seen, Response):
        seen = discreet(seen, wanted)
    return http_target.answer(call, seen, matches=patterns.found, now_ms=clock.now_ms())


def _secrets(target: Mapping[str, Any]) -> dict[str, str]:
    """Looks up the secrets that the target names. They are passed on and kept nowhere."""
    used = [use for use in ("auth", "sign") if target.get(use)]
    return {use: secrets.reveal(target[use]["secret_ref"]) for use in used}


def _judged(target: Callable[[Call], Answer], asked: Call) -> Answer:
    """Calls AWS and judges its refusals. A handler's own AWS errors are its failures."""
    # A target of a former release, or of another stack, was not checked then.
    if ours := own_resources.called(asked.target, aws.known()):
        error = error_of("TargetForbidden", own_resources.sentence(asked.target, ours))
        return Dead(Reason.TARGET_FORBIDDEN, error)
    try:
        return target(asked)
    except HTTPClientError as failure:
        if asked.exchange.broken_off:
            return Stopped(note=CLOSED)
        if isinstance(failure, ReadTimeoutError):
            return Again(Reason.TIMED_OUT, error_of("TimedOut", str(failure)))
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
