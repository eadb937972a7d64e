"""Shows what a run's handler logged, attempt by attempt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import responses
from onthedot.api.door.pages import Cursor, Listing
from onthedot.api.door.responses import Handlers
from onthedot.api.runs import log_stream
from onthedot.api.runs.run_lookup import Found, find
from onthedot.records.problems import not_found
from onthedot.records.runs import attempts
from onthedot.schedule.time.instants import moment
from onthedot.store import clock
from onthedot.targets.python import run_log

# Milliseconds. Lines are written while an attempt runs, or just after; stamps are not exact.
_AROUND_MS = 2_000
_LINES = 1_000
# Milliseconds. CloudWatch shows a line after seconds, sometimes after a minute.
_ARRIVE_MS = 120_000


def lines(
    run_id: str,
    attempt: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
    cursor: Cursor = None,
) -> Response[str]:
    """Show the log lines of one attempt, by default of the newest.

    Workers run many runs side by side: only lines that name the run are shown.
    """
    found = find(run_id)
    pages = Listing(known={}, names=("attempt", "token"))
    begun = pages.start(cursor)
    # The run may have begun another attempt since. A list continues in its own attempt.
    told = _attempt(found, int(begun["attempt"]) if begun else attempt)
    group = run_log.group()
    if told is None or not told.get("log") or group is None:
        return _none(_why(told))
    read = log_stream.read(
        group,
        told["log"],
        _between(told),
        limit=_LINES,
        token=begun["token"] if begun else None,
    )
    shown = [line for event in read.events if (line := _line(event, run_id))] if read else []
    if read is None or not (shown or begun or read.following):
        return _none(_why_empty(told))
    following = {"attempt": str(told["attempt"]), "token": read.following}
    return pages.answer(shown, following if read.following else None)


def _attempt(found: Found, wanted: int | None) -> Mapping[str, Any] | None:
    known = attempts.all_of(found.run.life)
    if wanted is None:
        return known[-1] if known else None
    match = next((one for one in known if one["attempt"] == wanted), None)
    if match is None:
        raise not_found(f"attempt {wanted} of that run")
    return match


def _between(told: Mapping[str, Any]) -> tuple[int, int]:
    ended_ms = told.get("ended_ms") or clock.now_ms()
    return told["started_ms"] - _AROUND_MS, ended_ms + _AROUND_MS


def _why(told: Mapping[str, Any] | None) -> str:
    if told is None:
        return "No attempt has begun, so there is no log."
    return "No log is kept for its worker: look at the output on that machine."


def _why_empty(told: Mapping[str, Any]) -> str:
    """Explains an empty list: the handler logs nothing, or its lines are not there now."""
    last_ms = told.get("ended_ms") or clock.now_ms()
    if clock.now_ms() - last_ms < _ARRIVE_MS:
        return "There are no lines yet: they take some seconds, and only ctx.log writes them."
    return "No lines are kept: the attempt wrote none by ctx.log, or its log was deleted."


def _none(note: str) -> Response[str]:
    return responses.answer({"data": [], "next_cursor": None, "note": note})


def _line(event: Mapping[str, Any], run_id: str) -> dict[str, Any] | None:
    """Shows a line of this run. Other lines of the stream may be another tenant's."""
    try:
        told = json.loads(event["message"])
    except ValueError:
        return None
    if not isinstance(told, dict) or told.get("run_id") != run_id:
        return None
    return {"at": moment(event["timestamp"]), **told}


HANDLERS: Handlers = {"GET /v1/runs/{run_id}/logs": lines}
