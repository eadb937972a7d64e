"""Starts other invocations of this function if one is not enough."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from onthedot.records.timings import SHARDS_AT_ONCE
from onthedot.store import aws


def take(shards: Sequence[int]) -> bool:
    """Hands a range of shards to another invocation. False: outside Lambda there is none."""
    function = os.environ.get("AWS_LAMBDA_FUNCTION_NAME")
    if not function:
        return False
    for first in range(0, len(shards), SHARDS_AT_ONCE):
        part = shards[first : first + SHARDS_AT_ONCE]
        aws.client("lambda").invoke(
            FunctionName=function,
            InvocationType="Event",
            Payload=json.dumps({"shards": [part[0], part[-1]]}).encode(),
        )
    return True
