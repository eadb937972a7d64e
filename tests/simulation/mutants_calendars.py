"""Planted faults of calendars: asked too early, or not at all."""

from __future__ import annotations

from onthedot.core import decide as decisions
from onthedot.core import plan as plans
from onthedot.flows import dispatch
from tests.simulation.mutant import Mutant, Patch


def unheeded() -> list[Patch]:
    """The worker goes by the claim: a calendar that was put over it since is not asked."""
    return [(decisions, "closing", lambda *_: "")]


def recorded() -> list[Patch]:
    """A blackout to come is recorded slot by slot, and no row can be taken back."""
    return [
        (plans, "_blackout", lambda *_: None),
        (plans, "_before_blackout", lambda _, slots, after, __: (slots, after)),
    ]


def unread() -> list[Patch]:
    """A dispatcher plans as if there were no calendars, and workers skip what it claims."""
    return [(dispatch, "blackouts", lambda _task_ids: {})]


CALENDARS = (
    Mutant(
        "no calendar",
        "a calendar is asked when the slot is due",
        unheeded,
        ("calendars",),
    ),
    Mutant("blackout rows", "a blackout to come may be lifted", recorded, ("calendars",), seed=8),
    Mutant(
        "calendar unread",
        "what a calendar closes is a range, not a row a slot",
        unread,
        ("closed late",),
    ),
)
