"""Writes a run's request to an http target, and judges the answer for the attempt."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any

from onthedot.records import attributes
from onthedot.records.runs.run_status import Reason
from onthedot.targets import filled_templates, templates
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Dead, Done, Stopped, error_of
from onthedot.targets.call import Call, measured_ms, run_fields
from onthedot.targets.http import signatures
from onthedot.targets.http.web_exchange import BODILESS, NoResponse, Request, Response, reserved
from onthedot.targets.templates import Room

EXPECT_STATUS = ("2xx",)
RETRY_AFTER_MAX_SEC = 86_400
TAKEN_ON_SEC = 30.0
# The request itself is wrong: the same request would be refused again.
_NEVER = frozenset({400, 401, 403, 405, 406, 410, 411, 413, 414, 415, 422, 431, 451, 501})
_SHOWN_MAX = 2_000
# A date has 29 characters. Python refuses to read numbers of thousands of digits.
_RETRY_AFTER_CHARS = 40


def request(call: Call, secrets: Mapping[str, str], *, now_ms: int) -> Request:
    """Writes the request. `secrets` has what `auth` and `sign` refer to, under those names."""
    target = call.target
    method = target.get("method", "POST").upper()
    room, fields = Room(call.room), {**run_fields(call), "payload": call.payload}
    body, kind = (None, "") if method in BODILESS else _body(call, fields, room)
    headers = {"user-agent": "onthedot/1"} | ({"content-type": kind} if body is not None else {})
    theirs = {name.lower(): value for name, value in target.get("headers", {}).items()}
    headers |= {
        name: filled_templates.header(name, value, fields, room)
        for name, value in theirs.items()
        if not reserved(name)
    }
    headers |= _names(call, now_ms)
    if "auth" in secrets:
        headers["authorization"] = _authorization(secrets["auth"])
    if "sign" in secrets:
        headers["webhook-signature"] = signatures.header(
            signatures.keys(secrets["sign"]),
            message_id=call.run_id,
            timestamp=now_ms // 1000,
            body=body or b"",
        )
    return Request(
        method=method,
        url=filled_templates.url(target["url"], fields, room),
        headers=headers,
        body=body,
        patience_sec=_patience_sec(call, now_ms),
        follow_redirects=bool(target.get("follow_redirects", False)),
    )


def _names(call: Call, now_ms: int) -> dict[str, str]:
    """Says which run it is. All attempts say the same, except for the attempt's number and time."""
    names = {
        "idempotency-key": call.run_id,
        "onthedot-attempt": f"{call.attempt}/{call.max_attempts}",
        "onthedot-due-at": measured_ms(call.due_ms),
        "traceparent": _traceparent(call),
        "webhook-id": call.run_id,
        "webhook-timestamp": str(now_ms // 1000),
    }
    return names | ({"onthedot-scheduled-for": call.scheduled_for} if call.scheduled_for else {})


def _patience_sec(call: Call, now_ms: int) -> float:
    """Returns how long to wait. A target that calls back accepts at once: the wait is short."""
    left = max(0.0, (call.deadline_ms - now_ms) / 1000)
    return min(left, TAKEN_ON_SEC) if call.target.get("complete") == "callback" else left


def answer(
    call: Call, seen: Response | NoResponse, *, matches: Callable[[str, str], bool], now_ms: int
) -> Answer:
    """Judges the answer. `matches` looks for a pattern in a text."""
    if isinstance(seen, NoResponse):
        return _unanswered(seen)
    wanted = call.target.get("expect_status", EXPECT_STATUS)
    if not any(_fits(seen.status, one) for one in wanted):
        return _unexpected(seen, now_ms)
    pattern = call.target.get("expect_body")
    if pattern and not matches(pattern, _text(seen)):
        message = f"the answer's body does not match {pattern}"
        return Again(Reason.FAILED, error_of("UnexpectedBody", message, answer=_text(seen)))
    if call.target.get("complete") == "callback":
        return Awaiting(Reason.CALLBACK)
    return Done(
        {"status": seen.status, "body": _shown(seen), **({"cut": True} if seen.cut else {})}
    )


def _body(call: Call, fields: Mapping[str, Any], room: Room) -> tuple[bytes, str]:
    form = call.target.get("body", "payload")
    if form == "payload":
        return _json(call.payload), "application/json"
    if form == "cloudevent":
        return _json(_event(call)), "application/cloudevents+json"
    text = templates.text(form, fields, room)
    # Half of a surrogate pair cannot be encoded.
    return text.encode("utf-8", "replace"), "text/plain; charset=utf-8"


def _event(call: Call) -> dict[str, Any]:
    """Builds a structured CloudEvent 1.0. `source` and `id` are the same in every attempt."""
    return {
        "specversion": "1.0",
        "id": call.run_id,
        "source": f"/tenants/{call.tenant_id}/tasks/{call.task_id}",
        "type": "onthedot.run.v1",
        "subject": call.name or call.task_id,
        "time": measured_ms(call.due_ms),
        "datacontenttype": "application/json",
        "data": call.payload,
    }


def _unanswered(seen: NoResponse) -> Answer:
    match seen.kind:
        case "forbidden":
            return Dead(Reason.TARGET_FORBIDDEN, error_of("TargetForbidden", seen.message))
        case "timed_out":
            return Again(Reason.TIMED_OUT, error_of("TimedOut", seen.message))
        case "failed":
            return Again(Reason.FAILED, error_of("ConnectionFailed", seen.message))
        case "broken_off":
            return Stopped(note=seen.message)


def _unexpected(seen: Response, now_ms: int) -> Answer:
    where = seen.headers.get("location")
    message = f"the target answered {seen.status}" + (f" to {where}" if where else "")
    error = error_of(f"Status{seen.status}", message, answer=_text(seen))
    if seen.status in _NEVER or seen.status // 100 == 3:
        return Dead(Reason.PERMANENT, error)
    return Again(Reason.FAILED, error, after_sec=_retry_after(seen, now_ms))


def _retry_after(seen: Response, now_ms: int) -> int | None:
    """Reads seconds or an HTTP date. Anything else is ignored."""
    text = seen.headers.get("retry-after", "").strip()[:_RETRY_AFTER_CHARS]
    try:
        if text.isdecimal():
            wait = int(text)
        else:
            wait = round(parsedate_to_datetime(text).timestamp() - now_ms / 1000)
    except (OverflowError, ValueError):
        return None
    return min(max(wait, 0), RETRY_AFTER_MAX_SEC)


def _fits(status: int, wanted: str | int) -> bool:
    text = str(wanted).lower()
    return str(status)[0] == text[0] if text.endswith("xx") else str(status) == text


def _authorization(secret: str) -> str:
    """Sends a secret with a scheme as it is, and any other as a bearer token.

    It also checks for characters that no header can hold: a later error would show the secret.
    """
    told = secret.strip()
    if not told or not told.isascii() or not told.isprintable():
        raise signatures.BadSecret(
            "the secret of auth cannot be a header: expected printable ASCII in one line"
        )
    return told if " " in told else f"Bearer {told}"


def _traceparent(call: Call) -> str:
    """Makes one trace for each run, and one span for each attempt."""
    trace = sha256(call.run_id.encode()).hexdigest()[:32]
    span = sha256(f"{call.run_id}#{call.attempt}".encode()).hexdigest()[:16]
    return f"00-{trace}-{span}-01"


def _shown(seen: Response) -> Any:
    told = attributes.said(_text(seen))
    return told[:_SHOWN_MAX] if isinstance(told, str) else told


def _text(seen: Response) -> str:
    return seen.body.decode("utf-8", "replace")


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
