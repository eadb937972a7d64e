"""Judges refusals by AWS: what they say, and whether a retry can help. All targets share it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer, Dead, error_of

_FORBIDDEN = (
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "KMSAccessDenied",
    "NotAuthorizedForDetailTypeException",
    "NotAuthorizedForSourceException",
)
_ARN = re.compile(r"arn:[a-z0-9-]*:[^\s,;'\"<>()]+")
_ACCOUNT = re.compile(r"(?<!\d)\d{12}(?!\d)")
_ACTION = re.compile(r"perform:? ([a-z0-9-]+:[A-Za-z0-9]+)")
# These have a status of 4xx, but mean too many requests or a fault of another party.
_PASSING = (
    "CodeArtifactUserPendingException",
    "InternalFailure",
    "KMSThrottling",
    "LimitExceeded",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestTimeout",
    "ResourceConflictException",
    "ResourceNotReadyException",
    "SlowDown",
    "SnapStartNotReadyException",
    "Throttl",
    "TooManyRequests",
)


def discreet(text: str) -> str:
    """Removes what tells a tenant about the account: its number, names of roles and resources."""
    return _ACCOUNT.sub("[account]", _ARN.sub("[arn]", text))


def _forbidden(message: str) -> str:
    """Says which action was refused. Who asked, for what and why is only for the operator."""
    action = _ACTION.search(message)
    what = f" {action[1]}" if action else " the call"
    return f"AWS does not allow{what}: the worker's log has the whole of its answer"


def judged(response: Mapping[str, Any]) -> Answer:
    """Judges an answer of AWS that is a refusal."""
    said = response["Error"]
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    return answer(said["Code"], said.get("Message", ""), status)


def answer(code: str, message: str, status: int) -> Answer:
    """Judges a refusal by its code. `AWS.SimpleQueueService.X` counts as X."""
    name = code.rsplit(".", 1)[-1]
    if name in _FORBIDDEN:
        return Dead(Reason.TARGET_FORBIDDEN, error_of(name, _forbidden(message)))
    error = error_of(name, discreet(message))
    if status // 100 != 4 or status in (408, 429) or name.startswith(_PASSING):
        return Again(Reason.FAILED, error)
    return Dead(Reason.PERMANENT, error)
