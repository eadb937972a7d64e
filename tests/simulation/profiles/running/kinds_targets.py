"""The kinds of tasks whose targets are AWS's services, and of those that can never be called."""

from __future__ import annotations

from typing import Any

from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Retry
from onthedot.targets.attempt_outcome import Dead
from tests.simulation.profiles.running.kinds import Kind

_ARN = "arn:aws:{}:us-east-1:000000000000:{}"
_URL = "https://sqs.us-east-1.amazonaws.com/000000000000/{}"
_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_QUEUED: dict[str, Any] = {"overlap": "queue", "queue_max": 3}
_PAYLOAD = {
    "run": "{{run_id}}",
    "nth": "{{attempt}}",
    "of": ["{{task_id}}", "{{name}} at {{scheduled_for}}"],
    "braces": "{{{{run_id}}",
    "number": 7,
}


def _to(kind: str, /, **target: str) -> dict[str, Any]:
    return {
        "target": {"type": kind, **target},
        "payload": _PAYLOAD,
        "timeout_sec": 30,
        "retry": Retry(base_sec=4, cap_sec=20),
    }


def _queue(name: str, **given: str) -> dict[str, Any]:
    return _to("sqs", queue_url=_URL.format(name), **given)


_FUNCTION = _to("lambda", function_arn=_ARN.format("lambda", "function:mail"))
SERVICE_KINDS: dict[str, Kind] = {
    "sent": ("*/20 * * * * *", {**_queue("orders"), **_FREE}),
    "sent grouped": ("*/20 * * * * *", {**_queue("orders", group_id="a"), **_FREE}),
    "sent fifo": ("*/20 * * * * *", {**_queue("orders.fifo"), **_FREE}),
    "sent fifo grouped": ("*/30 * * * * *", {**_queue("more.fifo", group_id="b"), **_QUEUED}),
    "told": ("*/20 * * * * *", {**_to("sns", topic_arn=_ARN.format("sns", "news")), **_FREE}),
    "told fifo": (
        "*/20 * * * * *",
        {**_to("sns", topic_arn=_ARN.format("sns", "news.fifo")), **_FREE},
    ),
    "invoked": ("*/20 * * * * *", {**_FUNCTION, **_FREE}),
    "invoked queue": ("*/30 * * * * *", {**_FUNCTION, **_QUEUED}),
    "invoked previous": ("*/30 * * * * *", {**_FUNCTION, "overlap": "cancel_previous"}),
    "invoked async": (
        "*/20 * * * * *",
        {**_FUNCTION, **_FREE, "target": {**_FUNCTION["target"], "mode": "async"}},
    ),
    "put": ("*/20 * * * * *", {**_to("eventbridge", bus="mine"), **_FREE}),
    "put named": (
        "*/20 * * * * *",
        {**_to("eventbridge", bus="mine", source="shop", detail_type="order"), **_FREE},
    ),
    # Our own queue and function, however they are written; what a tenant may not call.
    "ours": ("*/20 * * * * *", {**_queue("normal"), **_FREE}),
    "ours escaped": ("*/20 * * * * *", {**_queue("HIG%48"), **_FREE}),
    "beyond": ("*/20 * * * * *", {**_queue("others"), **_FREE}),
    "beyond queue": (
        "*/30 * * * * *",
        {**_to("lambda", function_arn=_ARN.format("lambda", "function:others")), **_QUEUED},
    ),
    # What its templates give is no address.
    "unfit": (
        "*/20 * * * * *",
        {
            "target": {"type": "http", "url": "https://jobs.example/{{payload.path}}"},
            "payload": {"path": ".."},
            **_FREE,
        },
    ),
}
# What becomes of them at their first attempt, and nobody is called. Some are drawn only where what
# their tenant may call is bounded.
ALLOWED = ("arn:aws:sqs:*:*:orders*", "arn:aws:sqs:*:*:normal")
_FORBIDDEN = Dead(Reason.TARGET_FORBIDDEN)
DOOMED = {
    "ours": _FORBIDDEN,
    "ours escaped": _FORBIDDEN,
    "beyond": _FORBIDDEN,
    "beyond queue": _FORBIDDEN,
    "foreign": _FORBIDDEN,
    "foreign queue": _FORBIDDEN,
    "unfit": Dead(Reason.PERMANENT),
}
