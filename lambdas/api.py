"""A request of the HTTP API: whatever becomes of it, it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from onthedot.api.request_flow import answer


def handler(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer with a status, headers and a body."""
    return answer(event, context)
