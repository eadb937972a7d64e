"""Works a batch of messages. Those with runs that are not done come back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.store import aws
from onthedot.work import handler_pool
from onthedot.work.worker import work

aws.prepare("dynamodb", "sqs")


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """Returns batchItemFailures."""
    try:
        return work(event)
    finally:
        handler_pool.leave_no_strays()
