"""Writes the API as OpenAPI 3.1: requests by the handlers' signatures, answers by the replies.

`make docs` writes it when the code changes; no request does.
"""

from __future__ import annotations

import json
import re
from inspect import getdoc
from typing import Any

from pydantic import TypeAdapter

from onthedot.api.app import HANDLERS, resolver
from onthedot.api.door.routes import ROUTES, Route
from onthedot.api.replies import field_texts
from onthedot.api.replies.route_replies import REPLIES
from onthedot.api.replies.schedule_replies import Problem
from onthedot.records.problems import KINDS

Schema = dict[str, Any]
_REF = "#/components/schemas/{model}"
# Statuses of refusals that any request of a kind may get.
_ALWAYS = (400, 404, 405, 429, 500, 503)
_BEHIND_A_KEY = (401, 403)
_WITH_BODY = (413, 415, 422)
_WRITES = (409, 412, 428)
_WRITING = ("POST", "PUT", "PATCH", "DELETE")


def document() -> Schema:
    """Writes the whole document."""
    made: Schema = json.loads(
        resolver().get_openapi_json_schema(
            title="On the Dot",
            version="1",
            openapi_version="3.1.0",
            description="A scheduler: cron, intervals and one-off tasks, fired on the second.",
        )
    )
    schemas: Schema = made["components"]["schemas"]
    for leftover in ("HTTPValidationError", "ValidationError", "ResponseValidationError"):
        schemas.pop(leftover, None)
    for route in ROUTES:
        operation = made["paths"][route.path][route.method.lower()]
        _complete(operation, route, schemas)
    field_texts.describe(schemas)
    made["components"]["responses"] = _problems(schemas)
    made["components"]["schemas"] = dict(sorted(schemas.items()))
    made["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    made["servers"] = [{"url": "/"}]
    return made


def _complete(operation: Schema, route: Route, schemas: Schema) -> None:
    operation["operationId"] = _operation_id(route)
    operation["tags"] = [route.path.split("/")[2] if route.path.startswith("/v1/") else "about"]
    operation.pop("deprecated", None)
    if route.role:
        operation["security"] = [{"key": []}]
        operation["x-role"] = route.role
    told = getdoc(HANDLERS[route.key]) or ""
    operation["summary"], _, operation["description"] = told.partition("\n\n")
    asked = [_parameter(each) for each in operation.get("parameters", [])]
    operation["parameters"] = [*asked, *_headers(route)]
    replies = REPLIES.get(route.key, {200: dict[str, Any]})
    operation["responses"] = {
        str(status): _success(body, schemas) for status, body in replies.items()
    }
    for status in _problem_statuses(route):
        problem = {"$ref": f"#/components/responses/{status}"}
        told = operation["responses"].setdefault(str(status), problem)
        if told is not problem:
            told["content"]["application/problem+json"] = {"schema": _schema(Problem, schemas)}


def _parameter(found: Schema) -> Schema:
    """Removes null: a parameter that is not given is left out of the address."""
    schema = found["schema"]
    kinds = [kind for kind in schema.pop("anyOf", []) if kind.get("type") != "null"]
    for kind in kinds:
        schema.update(kind)
    for bound in ("minimum", "maximum"):
        if bound in schema:
            schema[bound] = int(schema[bound])
    return found


def _problems(schemas: Schema) -> Schema:
    """Writes the meaning of each status, once for all routes."""
    content = {"application/problem+json": {"schema": _schema(Problem, schemas)}}
    codes: dict[str, list[str]] = {}
    for code, kind in KINDS.items():
        codes.setdefault(str(kind.status), []).append(f"`{code}`")
    return {
        status: {"description": ", ".join(names), "content": content}
        for status, names in codes.items()
    }


def _operation_id(route: Route) -> str:
    words = [word.strip("{}") for word in route.path.split("/") if word not in ("", "v1")]
    return "_".join([route.method.lower(), *words]).replace(".", "_")


def _problem_statuses(route: Route) -> list[int]:
    statuses = [*_ALWAYS]
    statuses += _BEHIND_A_KEY if route.role else ()
    statuses += _WITH_BODY if route.method in ("POST", "PUT", "PATCH") else (413, 422)
    statuses += _WRITES if route.method in _WRITING else ()
    return sorted(statuses)


def _headers(route: Route) -> list[Schema]:
    names: list[tuple[str, Schema, str]] = [("X-Request-Id", {}, _OWN_ID)]
    if route.once:
        # Quotes around it do not belong to it, and must not stand alone.
        shape = {"maxLength": 255, "minLength": 1, "pattern": r'[^\s"]'}
        names.append(("Idempotency-Key", shape, _SAME_KEY))
    if route.key in _VERSIONED:
        names.append(("If-Match", {}, _SEEN))
    return [
        {
            "name": name,
            "in": "header",
            "required": False,
            "description": told,
            "schema": {"type": "string", **limits},
        }
        for name, limits, told in names
    ]


_NO_WORD = re.compile(r"\W+")
# It has no pattern here: an id that does not match is not refused.
_OWN_ID = (
    "Your own id for this request: up to 64 characters of ASCII without blanks. Else we make one."
)
_SAME_KEY = "The same key within 24 hours gets the same answer."
_SEEN = "The version to replace, as in its ETag."
_VERSIONED = {
    "PUT /v1/schedules/{schedule}",
    "PATCH /v1/schedules/{schedule}",
    "DELETE /v1/schedules/{schedule}",
    "POST /v1/tasks/{task_id}/cancel",
    "POST /v1/tasks/{task_id}/reschedule",
    "PUT /v1/calendars/{calendar_id}",
    "DELETE /v1/calendars/{calendar_id}",
}


def _success(body: Any, schemas: Schema) -> Schema:  # noqa: ANN401 any type
    if body is None:
        return {"description": "Done, or not changed."}
    if isinstance(body, str):
        return {"description": "Done.", "content": {body: {"schema": {"type": "string"}}}}
    content = {"application/json": {"schema": _schema(body, schemas)}}
    return {"description": "Done.", "content": content}


def _schema(body: Any, schemas: Schema) -> Schema:  # noqa: ANN401 any type
    """Writes a type's schema. Schemas that it refers to go to the document."""
    schema = TypeAdapter(body).json_schema(ref_template=_REF, mode="serialization")
    schemas.update(schema.pop("$defs", {}))
    name = schema.get("title", "")
    if schema.get("type") != "object" or not name:
        return schema
    name = _NO_WORD.sub("_", name).strip("_")
    schemas[name] = schema
    return {"$ref": _REF.format(model=name)}
