"""Lists every route: who may call it, and whether a repeated request gets the first answer.

The door needs no pydantic to read it. API Gateway has one route for all requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, kw_only=True)
class Route:
    """A method and a path. An empty `role` opens it to all.

    With `once`, a repeated Idempotency-Key gets the first answer again.
    """

    method: str
    path: str
    role: str
    once: bool = False

    @property
    def key(self) -> str:
        """Returns the name that handlers and replies use: `GET /v1/runs/{run_id}`."""
        return f"{self.method} {self.path}"

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Returns the form of the path. A parameter has no slash, and is no longer than an id."""
        return re.compile(_PARAMETER.sub(r"(?P<\1>[^/]{1,256})", self.path.replace(".", r"\.")))


def _route(key: str, role: str, *, once: bool = False) -> Route:
    method, path = key.split(" ")
    return Route(method=method, path=path, role=role, once=once)


ROUTES = (
    _route("GET /v1/health", ""),
    _route("GET /v1/openapi.json", ""),
    _route("GET /problems/{code}", ""),
    _route("POST /v1/schedules", "write", once=True),
    _route("GET /v1/schedules", "read"),
    _route("GET /v1/schedules/{schedule}", "read"),
    _route("PUT /v1/schedules/{schedule}", "write"),
    _route("PATCH /v1/schedules/{schedule}", "write"),
    _route("DELETE /v1/schedules/{schedule}", "write"),
    _route("POST /v1/schedules/{schedule}/pause", "write", once=True),
    _route("POST /v1/schedules/{schedule}/resume", "write", once=True),
    _route("POST /v1/schedules/{schedule}/trigger", "write", once=True),
    _route("GET /v1/schedules/{schedule}/runs", "read"),
    _route("GET /v1/schedules/{schedule}/next", "read"),
    _route("GET /v1/schedules/{schedule}/slots", "read"),
    _route("POST /v1/tasks", "write", once=True),
    _route("POST /v1/tasks/batch", "write", once=True),
    _route("GET /v1/tasks", "read"),
    _route("GET /v1/tasks/{task_id}", "read"),
    _route("POST /v1/tasks/{task_id}/cancel", "write", once=True),
    _route("POST /v1/tasks/{task_id}/reschedule", "write", once=True),
    _route("POST /v1/keys", "admin"),
    _route("GET /v1/keys", "admin"),
    _route("GET /v1/keys/{key_id}", "admin"),
    _route("DELETE /v1/keys/{key_id}", "admin"),
    _route("POST /v1/cron/preview", "read"),
    _route("GET /v1/timezones", "read"),
    _route("GET /v1/runs", "read"),
    _route("GET /v1/runs/{run_id}", "read"),
    _route("POST /v1/runs/{run_id}/cancel", "write", once=True),
    _route("POST /v1/runs/{run_id}/replay", "write", once=True),
    _route("GET /v1/runs/{run_id}/logs", "read"),
    _route("POST /v1/leases", "worker"),
    _route("POST /v1/runs/{run_id}/heartbeat", "worker"),
    _route("POST /v1/runs/{run_id}/complete", "worker"),
    _route("POST /v1/runs/{run_id}/fail", "worker"),
    _route("POST /v1/runs/{run_id}/once", "worker"),
    _route("GET /v1/runs/{run_id}/previous-success", "worker"),
    _route("GET /v1/dead-letters", "read"),
    _route("GET /v1/dead-letters/groups", "read"),
    _route("POST /v1/dead-letters/replay", "write", once=True),
    _route("POST /v1/dead-letters/purge", "write", once=True),
    _route("GET /v1/dead-letters/operations", "read"),
    _route("GET /v1/dead-letters/operations/{operation_id}", "read"),
    _route("POST /v1/dead-letters/operations/{operation_id}/cancel", "write", once=True),
    _route("POST /v1/schedules/{schedule}/backfills", "write", once=True),
    _route("GET /v1/schedules/{schedule}/backfills", "read"),
    _route("GET /v1/schedules/{schedule}/backfills/{backfill_id}", "read"),
    _route("POST /v1/schedules/{schedule}/backfills/{backfill_id}/cancel", "write", once=True),
    _route("POST /v1/calendars", "write", once=True),
    _route("GET /v1/calendars", "read"),
    _route("GET /v1/calendars/{calendar_id}", "read"),
    _route("PUT /v1/calendars/{calendar_id}", "write"),
    _route("DELETE /v1/calendars/{calendar_id}", "write"),
    _route("GET /v1/overview", "read"),
    _route("GET /v1/upcoming", "read"),
    _route("GET /v1/upcoming/heat", "read"),
    _route("GET /v1/audit", "admin"),
    _route("GET /v1/tenants", "admin"),
    _route("GET /v1/tenants/{tenant_id}", "admin"),
    _route("PUT /v1/tenants/{tenant_id}", "admin"),
    _route("POST /v1/tenants/{tenant_id}/keys", "admin"),
)


def find(method: str, path: str) -> tuple[Route | None, list[str]]:
    """Returns the route of a request, or None and the methods that the path has."""
    here = [route for route in ROUTES if route.pattern.fullmatch(path)]
    # A fixed word in the path wins over a parameter.
    here.sort(key=lambda route: route.path.count("{"))
    found = next((route for route in here if route.method == method), None)
    return found, sorted(route.method for route in here if route.path == here[0].path)
