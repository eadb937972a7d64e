"""Kinds of tasks of other tenants, priorities and zones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_KEY = {"key": "all", "max_running": 2}


def _zone(timezone: str, **given: str) -> dict[str, Any]:
    return {"zone": {"timezone": timezone, **given}, **_FREE}


_HIGH, _LOW = {"priority": 1}, {"priority": 3}
_BETA = {"tenant_id": "beta"}
TENANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "high": ("*/20 * * * * *", _HIGH | _FREE),
    "low": ("*/20 * * * * *", _LOW | _FREE),
    "beta": ("*/20 * * * * *", _BETA | _FREE),
    "beta high": ("*/30 * * * * *", _BETA | _HIGH | _FREE),
    "beta low queue": ("*/30 * * * * *", _BETA | _LOW | {"overlap": "queue", "queue_max": 3}),
    "beta key": (
        "*/30 * * * * *",
        _BETA | _FREE | {"shown": {"concurrency_key": _KEY}, "end_sec": 150},
    ),
}

_NEW_YORK = "America/New_York"
ZONED: dict[str, tuple[str, dict[str, Any]]] = {
    "wall gap": ("30 2 * * *", _zone(_NEW_YORK)),
    "wall skip": ("30 2 * * *", _zone(_NEW_YORK, dst_gap="skip")),
    "wall three": ("1 3 * * *", _zone(_NEW_YORK)),
    "wall minute": ("* * * * *", _zone(_NEW_YORK)),
    "wall both": ("0 1 * * *", _zone(_NEW_YORK, dst_overlap="both")),
    "wall first": ("59 1 * * *", _zone(_NEW_YORK)),
    "wall last": ("1 1 * * *", _zone(_NEW_YORK, dst_overlap="last")),
    "wall year": ("0 0 * 1 *", _zone("UTC")),
    "wall eve": ("58-59 23 * * *", _zone("UTC")),
    "wall rome": ("1 1 * 1 *", _zone("Europe/Rome")),
    "wall once": ("0 0 0 1 1 * 2027", _zone("UTC")),
}
# Two or three minutes before clocks go on, before they go back, and before the year ends.
SPRING = datetime(2027, 3, 14, 6, 57, tzinfo=UTC)
AUTUMN = datetime(2027, 11, 7, 5, 57, tzinfo=UTC)
NEW_YEAR = datetime(2026, 12, 31, 23, 57, tzinfo=UTC)
# By the tables of the zones, and not by our engine: what runs in the first five minutes.
EXPECTED: dict[tuple[datetime, str], tuple[str, ...]] = {
    (SPRING, "wall gap"): ("07:00",),
    (SPRING, "wall skip"): (),
    (SPRING, "wall three"): ("07:01",),
    (SPRING, "wall minute"): ("06:58", "06:59", "07:00", "07:01"),
    (AUTUMN, "wall both"): ("06:00",),
    (AUTUMN, "wall first"): ("05:59",),
    (AUTUMN, "wall last"): ("06:01",),
    (AUTUMN, "wall minute"): ("05:58", "05:59", "06:00", "06:01"),
    (NEW_YEAR, "wall year"): ("00:00",),
    (NEW_YEAR, "wall eve"): ("23:58", "23:59"),
    (NEW_YEAR, "wall rome"): ("00:01",),
    (NEW_YEAR, "wall once"): ("00:00",),
    (NEW_YEAR, "wall minute"): ("23:58", "23:59", "00:00", "00:01"),
}
