"""Invokes a user's Lambda function, and waits for its answer (`sync`) or not (`async`)."""

from __future__ import annotations

import base64
import json
from typing import Any

from onthedot.records import attributes
from onthedot.records.runs.run_status import Reason
from onthedot.store import aws, clock
from onthedot.targets.attempt_outcome import Again, Answer, Done, error_of
from onthedot.targets.call import Call
from onthedot.targets.http.web_exchange import BODY_MAX

_ASYNC_SEC = 10


def call(asked: Call) -> Answer:
    """Invokes it. An error that it raised fails the attempt."""
    waits = asked.target.get("mode", "sync") == "sync"
    context = {"custom": {"run_id": asked.run_id, "attempt": asked.attempt}}
    request = {
        "FunctionName": asked.target["function_arn"],
        "InvocationType": "RequestResponse" if waits else "Event",
        "Payload": json.dumps(asked.payload).encode(),
    }
    if not waits:
        with aws.waiting_in(asked.exchange):
            aws.patient_client("lambda", _ASYNC_SEC).invoke(**request)
        return Done()
    request["ClientContext"] = base64.b64encode(json.dumps(context).encode()).decode()
    patience_sec = max(1, round((asked.deadline_ms - clock.local_ms()) / 1000))
    with aws.waiting_in(asked.exchange):
        answer = aws.patient_client("lambda", patience_sec).invoke(**request)
    said = attributes.said(answer["Payload"].read(BODY_MAX).decode("utf-8", "replace") or "null")
    if "FunctionError" in answer:
        return Again(Reason.FAILED, _error(said))
    return Done(said)


def _error(said: Any) -> dict[str, Any]:
    """Describes a function's error: type, message, trace. A killed function has only a message."""
    told = said if isinstance(said, dict) else {"errorMessage": str(said)}
    # Python and Java use one name for it, Node another.
    trace = told.get("stackTrace") or told.get("trace")
    stack = "\n".join(str(line).rstrip() for line in trace) if isinstance(trace, list) else ""
    return error_of(
        str(told.get("errorType", "FunctionError")), str(told.get("errorMessage", "")), stack
    )
