"""Kinds of tasks for profiles of their own: zones, tenants, long waits; none is drawn elsewhere."""

from __future__ import annotations

from typing import Any

from onthedot.core.task import Retry
from tests.simulation.kinds import KINDS, LUNCH, Kind
from tests.simulation.kinds_pull import PULL_KINDS
from tests.simulation.kinds_targets import SERVICE_KINDS

_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_KEY = {"key": "all", "max_running": 2}
_BERLIN = {"timezone": "Europe/Berlin", "dst_mode": "fixed"}


def _night(**policy: str) -> dict[str, Any]:
    return {"zone": {**_BERLIN, **policy}, **_FREE}


_LATE = {"misfire": "all", **_FREE}
_KEYED = {"shown": {"concurrency_key": _KEY}, "end_sec": 150, **_FREE}

APART: dict[str, Kind] = {
    # On the night of the change: walls that are left out, and walls that come twice.
    "gap fire": ("1-59 1-2 * * *", _night(dst_gap="fire")),
    "gap skip": ("1-59 1-3 * * *", _night(dst_gap="skip")),
    "gap shift": ("1-59 1-2 * * *", _night(dst_gap="shift")),
    "gap elapsed": ("* * * * *", {"zone": {"timezone": "Europe/Berlin"}, **_FREE}),
    "pass first": ("0-59 2-3 * * *", _night(dst_overlap="first")),
    "pass last": ("0-59 2-3 * * *", _night(dst_overlap="last")),
    "pass both": ("0-59 2-3 * * *", _night(dst_overlap="both")),
    # Due inside a calendar that the slot lies outside of, and the other way round.
    "closed late": ("1-59/3 * * * *", {"blackouts": (LUNCH,), "jitter_sec": 120, **_FREE}),
    "closed slot": ("2-59/3 * * * *", {"blackouts": (LUNCH,), "jitter_sec": 154, **_FREE}),
    # Its slots end before tables are set back, or in the time that they forget.
    "last early": ("*/20 * * * * *", {"end_sec": 200, **_FREE}),
    "last long": ("*/20 * * * * *", {"end_sec": 885, **_FREE}),
    "last long queue": ("*/30 * * * * *", {"end_sec": 700, "overlap": "queue"}),
    # Some of its runs are claimed, and some are left.
    "twelve": ("*/20 * * * * *", {"max_runs": 12, **_FREE}),
    "twelve latest": ("*/30 * * * * *", {"max_runs": 9, "misfire": "latest", **_FREE}),
    # Often due in the very second of a call.
    "often": ("*/6 * * * * *", _FREE),
    # Some tenants have more to catch up on than others.
    **{f"share {each}": ("* * * * *", _LATE) for each in "abcd"},
    "single": ("* * * * *", {"tenant_id": "globex", **_LATE}),
    # Two tenants have chosen the same key.
    "key ours": ("*/20 * * * * *", _KEYED),
    "key theirs": ("*/20 * * * * *", {"tenant_id": "globex", **_KEYED}),
    "patient": (
        "at(2026-11-18T12:03:00)",
        {"prefix": "tsk", "max_attempts": 2, "retry": Retry(cap_sec=2_400), **_FREE},
    ),
}
EVERY_KIND = KINDS | PULL_KINDS | SERVICE_KINDS | APART
