"""The last hour of a tenant in figures, from what the audit counted minute by minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from onthedot.core.instants import nominal

# What is shown of each minute, and summed over the hour.
_OUTCOMES = ("succeeded", "dead", "missed", "skipped", "cancelled")
_HOUR = (*_OUTCOMES, "attempts", "leases_lost")


def view(minutes: Mapping[int, Counter[str]]) -> dict[str, Any]:
    """Sum the hour up, and show its minutes, oldest first."""
    hour = sum(minutes.values(), Counter[str]())
    return {
        "last_hour": {name: hour[name] for name in _HOUR} | {"success_percent": _success(hour)},
        "minutes": [
            {"at": nominal(at), **{name: counts[name] for name in _OUTCOMES}}
            for at, counts in sorted(minutes.items())
        ],
    }


def _success(hour: Counter[str]) -> float | None:
    """Of what ran or should have; where nothing did there is no share."""
    ran = hour["succeeded"] + hour["dead"] + hour["missed"]
    return round(100 * hour["succeeded"] / ran, 3) if ran else None
