"""Defines the problems that a caller can get: every code, its status, and the problem itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from onthedot.schedule.expression.errors import ScheduleError


@dataclass(frozen=True, slots=True)
class Kind:
    """What all problems with one code share."""

    status: int
    title: str


KINDS = {
    "invalid_request": Kind(400, "Request is not valid"),
    "unknown_field": Kind(400, "Field is not known"),
    "read_only_field": Kind(400, "Field cannot be written"),
    "cursor_mismatch": Kind(400, "Cursor belongs to another request"),
    "unsupported_filter": Kind(400, "Filter is not supported here"),
    "unauthenticated": Kind(401, "No valid API key"),
    "forbidden": Kind(403, "Not allowed with this key"),
    "not_found": Kind(404, "Not found"),
    "method_not_allowed": Kind(405, "Method is not allowed here"),
    "name_taken": Kind(409, "Name is taken"),
    "idempotency_in_progress": Kind(409, "The same request is under way"),
    "plan_stale": Kind(409, "The plan is out of date"),
    "already_started": Kind(409, "The run has started already"),
    "already_finished": Kind(409, "It has finished already"),
    "calendar_in_use": Kind(409, "The calendar is in use"),
    "not_dead": Kind(409, "The run is not dead"),
    "last_admin_key": Kind(409, "The last admin key cannot be revoked"),
    "lease_lost": Kind(409, "The lease belongs to another attempt"),
    "version_mismatch": Kind(412, "Another version than expected"),
    "payload_too_large": Kind(413, "Body or payload is too large"),
    "unsupported_media_type": Kind(415, "Body is not JSON"),
    "invalid_schedule": Kind(422, "Schedule is not valid"),
    "invalid_target": Kind(422, "Target is not valid"),
    "invalid_field": Kind(422, "Field is not valid"),
    "run_at_in_past": Kind(422, "The time has passed"),
    "idempotency_key_reused": Kind(422, "Idempotency key was used for another request"),
    "target_forbidden": Kind(422, "Target is not allowed"),
    "version_required": Kind(428, "Version is required"),
    "quota_exceeded": Kind(429, "Quota is used up"),
    "rate_limited": Kind(429, "Too many requests"),
    "internal": Kind(500, "A fault on our side"),
    "unavailable": Kind(503, "Not available right now"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One mistake and its place: a JSON pointer, and the position in the text."""

    pointer: str
    code: str
    message: str
    field: str
    position: tuple[int, int] | None = None
    suggestion: str | None = None

    @classmethod
    def of(cls, pointer: str, error: ScheduleError) -> Fault:
        """Adds a pointer to an error of the engine."""
        return cls(
            pointer=pointer,
            code=error.code,
            message=error.message,
            field=error.field,
            position=error.position,
            suggestion=error.suggestion,
        )

    def as_json(self) -> dict[str, Any]:
        """Returns plain values."""
        return {
            "pointer": self.pointer,
            "code": self.code,
            "message": self.message,
            "field": self.field,
            "position": list(self.position) if self.position else None,
            "suggestion": self.suggestion,
        }


@dataclass(slots=True)
class Problem(Exception):  # noqa: N818  # the term of RFC 9457
    """An answer that is no success: a code, a sentence, and the single mistakes."""

    code: str
    detail: str
    faults: Sequence[Fault] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """Returns the HTTP status of the code."""
        return KINDS[self.code].status

    def as_json(self, *, instance: str, request_id: str) -> dict[str, Any]:
        """Writes it in the form of RFC 9457."""
        body: dict[str, Any] = {
            "type": f"/problems/{slug(self.code)}",
            "title": KINDS[self.code].title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "instance": instance,
            "request_id": request_id,
        }
        if self.faults:
            body["errors"] = [fault.as_json() for fault in self.faults]
        return body | dict(self.more)


def slug(code: str) -> str:
    """Writes a code as the address of its page spells it."""
    return code.replace("_", "-")


def of_faults(code: str, faults: Sequence[Fault]) -> Problem:
    """Returns one problem for the mistakes in several fields."""
    if len(faults) == 1:
        return Problem(code, faults[0].message, faults)
    return Problem(code, f"{len(faults)} fields need attention.", faults)


def not_found(what: str) -> Problem:
    """Says that the thing does not exist, or belongs to another tenant."""
    return Problem("not_found", f"There is no {what} here.")
