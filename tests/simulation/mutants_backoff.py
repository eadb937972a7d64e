"""Planted faults of backoff: the wait that is asked for is not kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.core import policy
from onthedot.core.policy import Again
from onthedot.flows import settling

Patch = tuple[Any, str, Any]


def unasked() -> list[Patch]:
    """What the handler says of its next attempt is not read."""

    def after(life: Any, task: Any, answer: Any, **named: Any) -> Any:
        plain = replace(answer, after_sec=None) if isinstance(answer, Again) else answer
        return policy.after(life, task, plain, **named)

    return [(settling, "after", after)]


def doubled_twice() -> list[Patch]:
    """The wait grows faster than it may."""
    original = policy.backoff_sec
    return [(policy, "backoff_sec", lambda retry, n, by: 4 * original(retry, n, by))]
