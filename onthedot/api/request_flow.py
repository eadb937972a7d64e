"""Takes an event of API Gateway to its answer: what every route does, in order."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from onthedot.api import app
from onthedot.api.door import (
    authentication,
    bodies,
    pages,
    rate_limits,
    repeated_requests,
    responses,
)
from onthedot.api.door.request import Asked, begin
from onthedot.api.door.routes import find
from onthedot.records.problems import Problem
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import aws
from onthedot.store.call_allowance import TooManyCallsError

_log = logging.getLogger(__name__)
# A transaction was in the way. Another try a little later can help.
_IN_THE_WAY = ("TransactionConflictException", "TransactionInProgressException")
_RETRY_AFTER = {"Retry-After": "1"}
# Reads that one request may make: twice what the longest possible lists need.
READS_MAX = 400


def answer(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answers one request, whatever happens."""
    asked = begin(event)
    reads = asked.method == "GET"
    try:
        with aws.allowing(READS_MAX) if reads else nullcontext():
            answered = _answered(asked, event, context)
    except Problem as problem:
        answered = _told(problem)
    except (BotoCoreError, BusyError, ClientError) as failure:
        answered = _told(_failure(asked, failure))
    except TooManyCallsError:
        answered = _told(_too_much())
    except Exception:  # noqa: BLE001  # the caller gets a problem to cite, the log gets the rest
        _log.exception("request %s failed", asked.request_id)
        answered = _told(Problem("internal", f"Report it with this id: {asked.request_id}."))
    headers = {"X-Request-Id": asked.request_id, "Cache-Control": "no-store"}
    answered["headers"] = headers | asked.answer_headers | answered.get("headers", {})
    return answered


def _answered(asked: Asked, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    asked.route, methods = find(asked.method, asked.path)
    if asked.route is None:
        raise _unserved(asked, methods)
    if asked.route.role:
        asked.caller = authentication.authenticate(asked)
        if not asked.caller.may(asked.route.role):
            raise _forbidden(asked.caller.role, asked.route.role)
        rate_limits.spend(asked)
    app.check_query(asked)
    pages.check(asked)
    asked.body = bodies.text_of(event)
    if asked.body:
        bodies.check_type(asked.headers.get("content-type", ""))
    return repeated_requests.once(asked, lambda: app.resolve(asked, event, context))


def _unserved(asked: Asked, methods: list[str]) -> Problem:
    if not methods:
        return Problem("not_found", f"There is no route {asked.path[:200]}.")
    served = ", ".join(methods)
    message = f"{asked.method} is not served here: expected {served}."
    return Problem("method_not_allowed", message, headers={"Allow": served})


def _forbidden(role: str, needed: str) -> Problem:
    message = f"This needs a key of the role '{needed}': yours has the role '{role}'."
    return Problem("forbidden", message)


def _failure(asked: Asked, failure: BotoCoreError | BusyError | ClientError) -> Problem:
    code = failure.response["Error"]["Code"] if isinstance(failure, ClientError) else ""
    _log.exception("request %s failed at the store", asked.request_id)
    if not code or aws.passes(failure) or code in _IN_THE_WAY:
        message = "The store is busy or cannot be reached: try again in a moment."
        return Problem("unavailable", message, headers=_RETRY_AFTER)
    return Problem("internal", f"Report it with this id: {asked.request_id}.")


def _too_much() -> Problem:
    message = f"This would take more than {READS_MAX} reads of the store: ask for less at a time."
    return Problem("unsupported_filter", message)


def _told(problem: Problem) -> dict[str, Any]:
    made = responses.problem(problem)
    return {
        "statusCode": made.status_code,
        "headers": dict(made.headers),
        "body": made.body,
        "isBase64Encoded": False,
    }
