"""Names the scheduler's own resources, from the environment of this function."""

from __future__ import annotations

import os

from onthedot.records.own_resources import Ours, ours
from onthedot.store import aws


def known() -> Ours:
    """Returns the names of the queues, of this function and of the stack."""
    queues = [aws.queue_url(queue).rstrip("/").rsplit("/", 1)[-1] for queue in aws.QUEUES]
    this = os.environ.get("AWS_LAMBDA_FUNCTION_NAME")
    return ours([*queues, *([this] if this else [])], os.environ.get("POWERTOOLS_SERVICE_NAME", ""))
