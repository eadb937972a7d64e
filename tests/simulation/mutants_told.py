"""Planted faults of webhooks, and of the minutes that tell them."""

from __future__ import annotations

from typing import Any

from onthedot.core import gathered
from onthedot.core.web import NoResponse, Response
from onthedot.flows import events
from tests.simulation.mutant import Mutant, Patch


def unsigned() -> list[Patch]:
    """Nobody signs what is told."""
    return [(events, "_signing_keys", list)]


def asked_on() -> list[Patch]:
    """Who does not answer is asked of each event."""
    original = events._webhook  # noqa: SLF001  # planted in the flow

    def webhook(*given: Any) -> Any:
        seen = original(*given)
        silent = isinstance(seen, NoResponse)
        return Response(status=503, headers={}, body=b"") if silent else seen

    return [(events, "_webhook", webhook)]


def taken_for_granted() -> list[Patch]:
    """What a webhook refuses is told."""
    original = events._webhook  # noqa: SLF001  # planted in the flow

    def webhook(*given: Any) -> Any:
        seen = original(*given)
        return seen if isinstance(seen, NoResponse) else Response(status=200, headers={}, body=b"")

    return [(events, "_webhook", webhook)]


def no_end() -> list[Patch]:
    """A minute tells a slow receiver of all there is."""
    return [(events, "_TELLING_SEC", 200.0)]


def all_at_once() -> list[Patch]:
    """A minute tells of all there is, however much that is."""
    original = events._listed  # noqa: SLF001  # planted in the flow

    def listed(places: Any) -> Any:
        before, events.AT_ONCE = events.AT_ONCE, 200
        try:
            return original(places)
        finally:
            events.AT_ONCE = before

    return [(events, "_listed", listed)]


def miscounted() -> list[Patch]:
    """What was told is counted as refused as well."""
    original = events.tell

    def tell() -> dict[str, int]:
        found = original()
        return found | {"events_told": 0} if found else found

    return [(events, "tell", tell)]


def nameless() -> list[Patch]:
    """What is told of a run does not name its schedule."""
    original = gathered.gathered
    return [(gathered, "gathered", lambda members, _named: original(members, {}))]


def some_left() -> list[Patch]:
    """A minute tells of one thing, and leaves the others to the next."""
    original = gathered.alike
    return [(gathered, "alike", lambda fresh: list(original(fresh))[:1])]


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
