"""Serves requests: checks that all routes share, then the handler of the route.

Powertools reads parameters and bodies, and calls the handlers.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import nullcontext
from difflib import get_close_matches
from functools import cache
from inspect import signature
from typing import Any, get_args, get_type_hints

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel

from onthedot.api.admin import api_documents, audit_trail, key_routes, scheduler_health, tenants
from onthedot.api.door import authentication, pages, repeated_requests, request, responses
from onthedot.api.door.request import Asked, asked, begin
from onthedot.api.door.responses import Handlers
from onthedot.api.door.routes import ROUTES, Route, find
from onthedot.api.requests import shape_errors
from onthedot.api.runs import (
    dead_letter_operations,
    dead_letters,
    leases,
    logs,
    overview,
    run_actions,
    run_list,
    run_steps,
)
from onthedot.api.schedules import (
    actions,
    backfills,
    calendars,
    expression_preview,
    one_off_tasks,
    schedule_list,
    schedule_writes,
    task_list,
    times,
    upcoming_fires,
)
from onthedot.records.problems import Fault, Problem, of_faults
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
        authentication.spend(asked)
    check_query(asked)
    if "cursor" in asked.query:
        pages.check(asked)
    asked.body = request.text_of(event)
    if asked.body:
        request.check_type(asked.headers.get("content-type", ""))
    return repeated_requests.once(asked, lambda: resolve(asked, event, context))


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


FAMILIES = (
    scheduler_health,
    api_documents,
    schedule_writes,
    schedule_list,
    actions,
    times,
    one_off_tasks,
    task_list,
    expression_preview,
    key_routes,
    leases,
    run_steps,
    run_actions,
    run_list,
    logs,
    backfills,
    dead_letters,
    dead_letter_operations,
    calendars,
    overview,
    upcoming_fires,
    audit_trail,
    tenants,
)
HANDLERS: Handlers = {
    key: handler for family in FAMILIES for key, handler in family.HANDLERS.items()
}


@cache
def resolver() -> APIGatewayHttpResolver:
    """Binds every route to its handler. A route without one fails at the first request."""
    made = APIGatewayHttpResolver(
        enable_validation=True, json_body_deserializer=request.parsed, serializer=json.dumps
    )
    for route in ROUTES:
        made.route(_rule(route), route.method)(HANDLERS[route.key])
    made.exception_handler(RequestValidationError)(_invalid)
    made.exception_handler(Problem)(responses.problem)
    made.not_found(_not_found)
    return made


def resolve(asked: Asked, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Lets the handler answer a request that the door accepted. Its body was read as text."""
    read = {
        "body": asked.body,
        "isBase64Encoded": False,
        "headers": {**asked.headers, "content-type": "application/json"},
    }
    return resolver().resolve({**event, **read}, context)


def check_query(asked: Asked) -> None:
    """Refuses an unknown query parameter: a typing error must not change the answer."""
    if not asked.query or asked.route is None:
        return
    known = _query(asked.route.key)
    faults = [_unknown(name, known) for name in asked.query if name not in known]
    if faults:
        raise of_faults("unknown_field", faults)


def _unknown(name: str, known: frozenset[str]) -> Fault:
    near = get_close_matches(name, sorted(known), 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    message = f"'{name[:64]}' is not a parameter of this route.{hint}"
    suggestion = near[0] if near else None
    return Fault(
        pointer=f"?{name[:64]}",
        code="unknown_field",
        message=message,
        field=name[:64],
        suggestion=suggestion,
    )


@cache
def _query(key: str) -> frozenset[str]:
    """Returns the parameters of a handler, except those of its path and body."""
    names = {name.rstrip("_") for name in signature(HANDLERS[key]).parameters} - {"body"}
    return frozenset(name for name in names if f"{{{name}}}" not in key)


def _rule(route: Route) -> str:
    return route.path.replace("{", "<").replace("}", ">")


def _invalid(error: RequestValidationError) -> Response[str]:
    return responses.problem(shape_errors.problem(error.errors(), _fields(asked())))


def _fields(request: Asked) -> list[str]:
    """Returns the fields that the body of the present route may have."""
    hints = get_type_hints(HANDLERS[request.route.key]) if request.route else {}
    kinds = (hints.get("body"), *get_args(hints.get("body")))
    return [
        name
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, BaseModel)
        for name in shape_errors.names(kind)
    ]


def _not_found(_error: NotFoundError) -> Response[str]:
    return responses.problem(Problem("not_found", "There is nothing under this address."))
