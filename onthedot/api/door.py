"""From an event of API Gateway to its answer: what holds for every route, in order."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from onthedot.api import answers, app, bodies, callers, idempotency, limits
from onthedot.api.asking import Asked, begin
from onthedot.api.routes import find
from onthedot.core.problems import Problem

_log = logging.getLogger(__name__)
# Another try a little later may well get past these.
_BUSY = (
    "InternalServerError",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ThrottlingException",
    "TransactionConflictException",
)
_RETRY_AFTER = {"Retry-After": "1"}


def answer(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request, whatever becomes of it."""
    asked = begin(event)
    try:
        answered = _answered(asked, event, context)
    except Problem as problem:
        answered = _told(problem)
    except (BotoCoreError, ClientError) as failure:
        answered = _told(_failure(asked, failure))
    except Exception:  # noqa: BLE001  # the caller gets a problem to cite, the log gets the rest
        _log.exception("request %s failed", asked.request_id)
        answered = _told(Problem("internal", f"Please cite {asked.request_id} when you report it."))
    headers = {"X-Request-Id": asked.request_id, "Cache-Control": "no-store"}
    answered["headers"] = headers | asked.answer_headers | answered.get("headers", {})
    return answered


def _answered(asked: Asked, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    asked.route, methods = find(asked.method, asked.path)
    if asked.route is None:
        raise _unserved(asked, methods)
    if asked.route.role:
        asked.caller = callers.authenticate(asked)
        if not asked.caller.may(asked.route.role):
            raise _forbidden(asked.caller.role, asked.route.role)
        limits.spend(asked)
    app.check_query(asked)
    asked.body = bodies.text_of(event)
    if asked.body:
        bodies.check_type(asked.headers.get("content-type", ""))
    return idempotency.once(asked, lambda: app.resolve(asked, event, context))


def _unserved(asked: Asked, methods: list[str]) -> Problem:
    if not methods:
        return Problem("not_found", f"There is no route {asked.path[:200]}.")
    served = ", ".join(methods)
    message = f"{asked.method} is not served here: expected {served}."
    return Problem("method_not_allowed", message, headers={"Allow": served})


def _forbidden(role: str, needed: str) -> Problem:
    message = f"A key of the role '{role}' may not do this: expected '{needed}'."
    return Problem("forbidden", message)


def _failure(asked: Asked, failure: BotoCoreError | ClientError) -> Problem:
    code = failure.response["Error"]["Code"] if isinstance(failure, ClientError) else ""
    _log.exception("request %s failed at the store", asked.request_id)
    if code in _BUSY or isinstance(failure, BotoCoreError):
        message = "The store is busy or out of reach: try again in a moment."
        return Problem("unavailable", message, headers=_RETRY_AFTER)
    return Problem("internal", f"Please cite {asked.request_id} when you report it.")


def _told(problem: Problem) -> dict[str, Any]:
    made = answers.problem(problem)
    return {
        "statusCode": made.status_code,
        "headers": dict(made.headers),
        "body": made.body,
        "isBase64Encoded": False,
    }
