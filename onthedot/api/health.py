"""Whether the service answers."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from onthedot.api import answers
from onthedot.api.answers import Handlers
from onthedot.core import zones


def health() -> Response[str]:
    """Answer that it does; nothing is read for it."""
    return answers.answer({"status": "ok", "tzdata": zones.VERSION})


HANDLERS: Handlers = {"GET /v1/health": health}
