"""Planted faults of backoff: the wait that is asked for is not kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.targets import attempt_outcome
from onthedot.targets.attempt_outcome import Again
from onthedot.work import settlement

Patch = tuple[Any, str, Any]


def unasked() -> list[Patch]:
    """What the handler says of its next attempt is not read."""

    def after(life: Any, task: Any, answer: Any, **named: Any) -> Any:
        plain = replace(answer, after_sec=None) if isinstance(answer, Again) else answer
        return attempt_outcome.after(life, task, plain, **named)

    return [(settlement, "after", after)]


def doubled_twice() -> list[Patch]:
    """The wait grows faster than it may."""
    original = attempt_outcome.backoff_sec
    return [(attempt_outcome, "backoff_sec", lambda retry, n, by: 4 * original(retry, n, by))]
