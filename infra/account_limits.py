"""Decides how many invocations each function gets for itself, by what the account allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Lambda keeps this many for functions that reserve none.
_FREE = 100
# Ticks of two dispatchers with their siblings, an audit and the late end of another, and requests.
_DISPATCH, _AUDIT, _API = 10, 2, 50
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
    """Reserves for all functions, or for dispatch and audit, or for none."""
    small = {"dispatch": _DISPATCH, "audit": _AUDIT}
    whole = small | {"work": workers, "api": _API}
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
