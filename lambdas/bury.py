"""Handles a batch of dead messages: each run gets another message, or its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.store import aws
from onthedot.work.dead_messages import bury

aws.prepare("dynamodb", "sqs")


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """Returns batchItemFailures."""
    return bury(event)
