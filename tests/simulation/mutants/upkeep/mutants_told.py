"""Planted faults of webhooks, and of the minutes that tell them."""

from __future__ import annotations

from typing import Any

from onthedot.targets.http.web_exchange import NoResponse, Response
from onthedot.upkeep.events import digest, notifications
from tests.simulation.mutants.mutant import Mutant, Patch
from tests.simulation.mutants.upkeep.mutants_audit import working


def unsigned() -> list[Patch]:
    """Nobody signs what is told."""
    return [(notifications, "_signing_keys", list)]


def asked_on() -> list[Patch]:
    """Who does not answer is asked of each event."""
    original = notifications._webhook  # noqa: SLF001  # planted in the flow

    def webhook(*given: Any) -> Any:
        seen = original(*given)
        silent = isinstance(seen, NoResponse)
        return Response(status=503, headers={}, body=b"") if silent else seen

    return [(notifications, "_webhook", webhook)]


def taken_for_granted() -> list[Patch]:
    """What a webhook refuses is told."""
    original = notifications._webhook  # noqa: SLF001  # planted in the flow

    def webhook(*given: Any) -> Any:
        seen = original(*given)
        return seen if isinstance(seen, NoResponse) else Response(status=200, headers={}, body=b"")

    return [(notifications, "_webhook", webhook)]


def no_end() -> list[Patch]:
    """A minute tells a slow receiver of all there is."""
    return working("events", 200)


def all_at_once() -> list[Patch]:
    """A minute tells of all there is, however much that is."""
    original = notifications._listed  # noqa: SLF001  # planted in the flow

    def listed(places: Any) -> Any:
        before, notifications.AT_ONCE = notifications.AT_ONCE, 200
        try:
            return original(places)
        finally:
            notifications.AT_ONCE = before

    return [(notifications, "_listed", listed)]


def miscounted() -> list[Patch]:
    """What was told is counted as refused as well."""
    original = notifications.tell

    def tell(*given: float) -> dict[str, int]:
        found = original(*given)
        return found | {"events_told": 0} if found else found

    return [(notifications, "tell", tell)]


def nameless() -> list[Patch]:
    """What is told of a run does not name its schedule."""
    original = digest.gathered
    return [(digest, "gathered", lambda members, _named: original(members, {}))]


def some_left() -> list[Patch]:
    """A minute tells of one thing, and leaves the others to the next."""
    original = digest.alike
    return [(digest, "alike", lambda fresh: list(original(fresh))[:1])]


MUTANTS = (
    Mutant("some left", "a minute tells what it may", some_left, ("hooked slowly",)),
    Mutant("nameless", "an event names its schedule", nameless, ("hooked", "told")),
    Mutant("unsigned", "a webhook is signed", unsigned, ("hooked",)),
    Mutant("asked on", "who is silent is asked no more", asked_on, ("hooked refused",)),
    Mutant("taken for granted", "what is refused comes again", taken_for_granted, ("hooked",)),
    Mutant("no end of telling", "a minute has its end", no_end, ("hooked refused",)),
    Mutant("all told at once", "a minute tells only some", all_at_once, ("hooked slowly",)),
    Mutant("told uncounted", "what is told is counted", miscounted, ("hooked",)),
)
