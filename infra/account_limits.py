"""Decides how many invocations each function gets for itself, by what the account allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onthedot.records.keys import SHARDS
from onthedot.records.timings import SHARDS_AT_ONCE

# Lambda keeps this many for functions that reserve none.
_FREE = 100
# What is reserved is also the most. So it is all that may rightly run at once: two ticks with all
# their siblings; an audit of each minute that one may take, and one by hand.
DISPATCH = 2 * SHARDS // SHARDS_AT_ONCE
AUDIT = 6
ASK = "Ask for more under Service Quotas, AWS Lambda, Concurrent executions (L-B99A9384)"


@dataclass(frozen=True, slots=True)
class Limits:
    """What an account allows, and what this stack has reserved of it already."""

    at_once: int
    unreserved: int
    own: int = 0

    @property
    def left(self) -> int:
        """Returns how many may be reserved."""
        return self.unreserved + self.own - _FREE


@dataclass(frozen=True, slots=True)
class Plan:
    """What to reserve, by function, and what to say about it."""

    reserved: Mapping[str, int]
    says: str


def plan(limits: Limits, workers: int) -> Plan:
    """Reserves for dispatch, audit and workers, or without workers, or for none.

    Nothing for the API: a bound would let the long polls of one tenant shut out all others. And
    with 0 workers nothing for them: provisioned pollers bound themselves.
    """
    small = {"dispatch": DISPATCH, "audit": AUDIT}
    whole = small | ({"work": workers} if workers else {})
    if sum(whole.values()) <= limits.left:
        return Plan(
            whole, f"Reserved of the account's {limits.at_once} invocations: {_told(whole)}."
        )
    if sum(small.values()) <= limits.left:
        return Plan(
            small,
            f"Reserved of the account's {limits.at_once} invocations: {_told(small)}. Workers and "
            f"the API share the rest with all other functions, so {workers} workers may not find "
            f"room: then runs start late. {ASK}.",
        )
    return Plan(
        {},
        f"Nothing is reserved: the account allows {limits.at_once} invocations at once, and "
        f"{limits.unreserved} of them are free, of which Lambda keeps {_FREE}. Ticks, audits, "
        f"workers and the API share them. Beyond that runs start late, ticks are dropped, and the "
        f"API answers 503. No run is lost. {ASK}.",
    )


def _told(reserved: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in reserved.items())
