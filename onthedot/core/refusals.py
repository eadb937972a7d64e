"""What AWS said instead of yes, and whether asking again can help: one rule for every target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.core.policy import Again, Answer, Dead, error_of

_FORBIDDEN = ("AccessDenied", "AccessDeniedException", "AuthorizationError", "KMSAccessDenied")
# With a status of 4xx, and nevertheless only too much at once, or somebody else's trouble.
_PASSING = (
    "KMSThrottling",
    "LimitExceeded",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestTimeout",
    "ResourceConflictException",
    "ResourceNotReadyException",
    "SlowDown",
    "Throttl",
    "TooManyRequests",
)


def judged(response: Mapping[str, Any]) -> Answer:
    """Judge what AWS answered instead."""
    said = response["Error"]
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    return answer(said["Code"], said.get("Message", ""), status)


def answer(code: str, message: str, status: int) -> Answer:
    """Judge a refusal by its code: `AWS.SimpleQueueService.X` is X."""
    name = code.rsplit(".", 1)[-1]
    error = error_of(name, message)
    if name in _FORBIDDEN:
        return Dead("target_forbidden", error)
    if status // 100 != 4 or status in (408, 429) or name.startswith(_PASSING):
        return Again("failed", error)
    return Dead("permanent", error)
