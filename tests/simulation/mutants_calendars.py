"""Planted faults of calendars: asked too early, or not at all."""

from __future__ import annotations

from typing import Any

from onthedot.core import decide as decisions
from onthedot.core import plan as plans

Patch = tuple[Any, str, Any]


def unheeded() -> list[Patch]:
    """The worker goes by the claim: a calendar that was put over it since is not asked."""
    return [(decisions, "closing", lambda *_: "")]


def recorded() -> list[Patch]:
    """A blackout to come is recorded slot by slot, and no row can be taken back."""
    return [
        (plans, "_blackout", lambda *_: None),
        (plans, "_before_blackout", lambda _, slots, after, __: (slots, after)),
    ]
