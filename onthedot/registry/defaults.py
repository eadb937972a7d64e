"""Lists every field that a user may define with its default, and the fields that nobody may."""

from __future__ import annotations

from typing import Any

COMMON: dict[str, Any] = {
    "description": "",
    "tags": {},
    "payload": {},
    "max_attempts": 3,
    "retry": {"backoff": "exponential", "base_sec": 5, "cap_sec": 900, "jitter": "full"},
    "timeout_sec": 300,
    "priority": 2,
    "misfire_grace_sec": 3600,
    "concurrency_key": None,
    "managed_by": "api",
}
SCHEDULE: dict[str, Any] = {
    "name": "",
    **COMMON,
    "cron": None,
    "every_sec": None,
    "seconds": "first",
    "timezone": "UTC",
    "dst_mode": "auto",
    "dst_gap": "fire",
    "dst_overlap": "first",
    "start_at": None,
    "end_at": None,
    "max_runs": None,
    "calendars": [],
    "jitter_sec": 0,
    "misfire": "latest",
    "overlap": "skip",
    "max_concurrent": None,
    "queue_max": 100,
    "pause_after_deaths": 10,
    "target": {},
    "status": "active",
}
# The fields that the index of a tenant's schedules carries.
LISTED = {
    name: SCHEDULE[name]
    for name in (
        "name",
        "status",
        "cron",
        "every_sec",
        "seconds",
        "timezone",
        "dst_mode",
        "dst_gap",
        "dst_overlap",
        "start_at",
        "end_at",
        "calendars",
        "jitter_sec",
        "tags",
        "priority",
        "managed_by",
    )
}
_KEPT = frozenset({"task_id", "tenant_id", "version"})
SCHEDULE_READ_ONLY = _KEPT | {
    "schedule_version",
    "paused",
    "explanation",
    "next_run_at",
    "would_run_at",
    "runs_left",
    "last_run",
    "warnings",
    "tzdata",
    "created_at",
    "created_by",
    "updated_at",
    "updated_by",
}
TASK_READ_ONLY = _KEPT | {
    "status",
    "run",
    "created_at",
    "created_by",
    "updated_at",
    "updated_by",
}
