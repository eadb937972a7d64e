"""Binds handlers to routes. Powertools reads parameters and bodies, and calls the handlers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from inspect import signature
from typing import Any, get_args, get_type_hints

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel

from onthedot.api.admin import api_documents, audit_trail, key_routes, scheduler_health, tenants
from onthedot.api.door import bodies, responses
from onthedot.api.door.request import Asked, asked
from onthedot.api.door.responses import Handlers
from onthedot.api.door.routes import ROUTES, Route
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
        enable_validation=True, json_body_deserializer=bodies.parsed, serializer=json.dumps
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
