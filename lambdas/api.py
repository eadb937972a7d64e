"""Answers requests of the HTTP API. Every request gets an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from onthedot.api.app import answer
from onthedot.store import aws

aws.prepare("dynamodb", "sqs")


def handler(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Returns a status, headers and a body."""
    return answer(event, context)
