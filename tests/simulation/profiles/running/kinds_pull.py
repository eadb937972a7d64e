"""The kinds of tasks whose targets are outside: called back, asked again, fetched, handled."""

from __future__ import annotations

from typing import Any

from onthedot.records.tasks.task_spec import Retry
from tests.simulation.outside.counter import QUEUE
from tests.simulation.outside.receivers import CALLBACK_PATH, SLOW_PATH
from tests.simulation.outside.states import MACHINE
from tests.simulation.outside.user_handlers import HANDLER
from tests.simulation.profiles.running.kinds import Kind

_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_SOON = {"retry": Retry(base_sec=4, cap_sec=20)}
_CALLBACK: dict[str, Any] = {
    "target": {
        "type": "http",
        "url": f"https://jobs.example{CALLBACK_PATH}",
        "complete": "callback",
    },
    "timeout_sec": 40,
    **_SOON,
}
_POSTED: dict[str, Any] = {
    "target": {"type": "http", "url": "https://jobs.example/now"},
    "timeout_sec": 20,
    **_SOON,
}
# It often takes longer than anybody who cancels it would wait.
_SLOW: dict[str, Any] = {
    "target": {"type": "http", "url": f"https://jobs.example{SLOW_PATH}"},
    "timeout_sec": 60,
    "retry": Retry(base_sec=120, cap_sec=300),
}
_EXECUTION: dict[str, Any] = {
    "target": {"type": "stepfunctions", "state_machine_arn": MACHINE, "wait": True},
    "timeout_sec": 60,
    **_SOON,
}
_PULLED: dict[str, Any] = {
    "target": {"type": "pull", "queue": QUEUE},
    "timeout_sec": 90,
    **_SOON,
}
_HANDLED: dict[str, Any] = {
    "target": {"type": "python", "handler": HANDLER},
    "timeout_sec": 14,
    **_SOON,
}
_KEYED: dict[str, Any] = {
    "shown": {"concurrency_key": {"key": "outside", "max_running": 2}},
    "end_sec": 150,
}
_QUEUED: dict[str, Any] = {"overlap": "queue", "queue_max": 3}

PULL_KINDS: dict[str, Kind] = {
    "callback": ("*/30 * * * * *", {**_CALLBACK, **_FREE}),
    "callback queue": ("*/40 * * * * *", {**_CALLBACK, **_QUEUED}),
    "callback previous": ("*/30 * * * * *", {**_CALLBACK, "overlap": "cancel_previous"}),
    "posted": ("*/20 * * * * *", {**_POSTED, **_FREE}),
    "slow post": ("*/30 * * * * *", {**_SLOW, **_FREE}),
    "slow post previous": ("*/20 * * * * *", {**_SLOW, "overlap": "cancel_previous"}),
    "execution": ("*/30 * * * * *", {**_EXECUTION, **_FREE}),
    "execution queue": ("*/40 * * * * *", {**_EXECUTION, **_QUEUED}),
    "execution previous": ("*/30 * * * * *", {**_EXECUTION, "overlap": "cancel_previous"}),
    "begun": (
        "*/20 * * * * *",
        {**_EXECUTION, **_FREE, "target": {**_EXECUTION["target"], "wait": False}},
    ),
    "pulled": ("*/20 * * * * *", {**_PULLED, **_FREE}),
    "pulled queue": ("*/30 * * * * *", {**_PULLED, **_QUEUED}),
    "pulled previous": ("*/30 * * * * *", {**_PULLED, "overlap": "cancel_previous"}),
    "handled": ("*/20 * * * * *", {**_HANDLED, **_FREE}),
    "handled queue": ("*/20 * * * * *", {**_HANDLED, **_QUEUED}),
    "handled previous": ("*/30 * * * * *", {**_HANDLED, "overlap": "cancel_previous"}),
    "handled key": ("*/30 * * * * *", {**_HANDLED, **_FREE, **_KEYED}),
    "pulled key": ("*/30 * * * * *", {**_PULLED, **_FREE, **_KEYED}),
}
