"""Puts events on a user's event bus. A run is delivered once EventBridge has accepted its event."""

from __future__ import annotations

import json
import logging

from onthedot.store import aws
from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.aws import refusals
from onthedot.targets.call import Call

_log = logging.getLogger(__name__)
_DETAIL_TYPE = "onthedot.run.v1"


def call(asked: Call) -> Answer:
    """Puts one event. Its detail names the run beside the payload."""
    detail = {"run_id": asked.run_id, "attempt": asked.attempt, "payload": asked.payload}
    entry = {
        "EventBusName": asked.target["bus"],
        "Source": asked.target.get("source", "onthedot"),
        "DetailType": asked.target.get("detail_type", _DETAIL_TYPE),
        "Detail": json.dumps(detail),
    }
    answer = aws.patient_client("events", 10).put_events(Entries=[entry])
    put = answer["Entries"][0]
    if put.get("ErrorCode"):
        _log.warning("run %s was refused: %s", asked.run_id, put)
        return refusals.answer(put["ErrorCode"], put.get("ErrorMessage", ""), 400)
    return Done({"event_id": put["EventId"]})
