"""Serves the API's own documents: the OpenAPI document, and a page for each problem."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aws_lambda_powertools.event_handler import Response

from onthedot.api.door.responses import Handlers
from onthedot.api.views.problem_pages import code_of, page
from onthedot.records.problems import not_found

OPENAPI = Path(__file__).with_name("openapi.json")


def openapi() -> Response[str]:
    """Give this API as OpenAPI 3.1."""
    return Response(200, "application/json", _openapi())


def problem(code: str) -> Response[str]:
    """Tell what a problem means and what to do about it, in Markdown."""
    known = code_of(code)
    if known is None:
        raise not_found("problem of that code")
    return Response(200, "text/markdown; charset=utf-8", page(known))


@cache
def _openapi() -> str:
    return OPENAPI.read_text(encoding="utf-8")


HANDLERS: Handlers = {"GET /v1/openapi.json": openapi, "GET /problems/{code}": problem}
