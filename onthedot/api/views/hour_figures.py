"""Shows the last hour of a tenant in figures, by the audit's counts of each minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from onthedot.schedule.time.instants import nominal
from onthedot.upkeep.minute_tally import OUTCOMES

# The counts that are summed over the hour.
_HOUR = (*OUTCOMES, "attempts", "leases_lost")


def view(hour: Counter[str], minutes: Mapping[int, Counter[str]]) -> dict[str, Any]:
    """Shows what ended within the hour, and its minutes by due time, oldest first."""
    return {
        "last_hour": {name: hour[name] for name in _HOUR} | {"success_percent": _success(hour)},
        "minutes": [
            {"at": nominal(at), **{name: counts[name] for name in OUTCOMES}}
            for at, counts in sorted(minutes.items())
        ],
    }


def _success(hour: Counter[str]) -> float | None:
    """Returns the share of successes. If nothing ran or should have run, there is none."""
    ran = hour["succeeded"] + hour["dead"] + hour["missed"]
    return round(100 * hour["succeeded"] / ran, 3) if ran else None
