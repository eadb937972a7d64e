"""What is the scheduler's own, by the environment of this function."""

from __future__ import annotations

import os

from onthedot.records.own_resources import Ours, ours
from onthedot.store import aws


def known() -> Ours:
    """Give the names of the queues and of this function, and the stack's."""
    queues = [aws.queue_url(queue).rstrip("/").rsplit("/", 1)[-1] for queue in aws.QUEUES]
    this = os.environ.get("AWS_LAMBDA_FUNCTION_NAME")
    return ours([*queues, *([this] if this else [])], os.environ.get("POWERTOOLS_SERVICE_NAME", ""))
