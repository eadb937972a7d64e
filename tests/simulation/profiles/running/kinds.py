"""The kinds of tasks that histories draw from: a schedule, and what is given besides."""

from __future__ import annotations

from typing import Any

from onthedot.records.tasks.task_spec import Retry
from onthedot.schedule.blackouts import blackout
from tests.simulation.profiles.running.kinds_world import TENANTS, ZONED

Kind = tuple[str, dict[str, Any]]

_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_KEY = {"key": "all", "max_running": 2}
_RATE = {"key": "rate", "rate": {"count": 2, "per_sec": 60}}
LUNCH = blackout("lunch", cron="2-3 12 * * *")
FOREIGN = {"type": "python", "handler": "foreign"}
_OWN = {"type": "python", "handler": "own"}
_LISTED = {"listed": "acme#s", "created_at": "2026-11-18T11:00:00.000Z"}
_STEADY = Retry(backoff="fixed", base_sec=7, cap_sec=60, jitter="none")
_DOUBLING = Retry(base_sec=2, cap_sec=11, jitter="none")
KINDS: dict[str, Kind] = {
    "minute": ("* * * * *", _FREE),
    "twenty": ("*/20 * * * * *", _FREE),
    "eighth": ("8-20 12 * * *", _FREE),
    "skip": ("*/30 * * * * *", {"overlap": "skip"}),
    "queue": ("*/20 * * * * *", {"overlap": "queue", "queue_max": 3}),
    "often": ("*/5 * * * * *", {"overlap": "queue", "end_sec": 90}),
    "previous": ("*/20 * * * * *", {"overlap": "cancel_previous"}),
    "two": ("*/15 * * * * *", {"overlap": "allow", "max_concurrent": 2}),
    "last queue": ("*/20 * * * * *", {"overlap": "queue", "end_sec": 90}),
    "last previous": ("*/20 * * * * *", {"overlap": "cancel_previous", "end_sec": 90}),
    "last two": ("*/15 * * * * *", {"overlap": "allow", "max_concurrent": 2, "end_sec": 90}),
    "once": ("at(2026-11-18T12:03:00)", {"prefix": "tsk", **_FREE}),
    "three": ("* * * * *", {"max_runs": 3, **_FREE}),
    "three latest": ("*/20 * * * * *", {"max_runs": 3, "misfire": "latest", **_FREE}),
    "two none": ("*/20 * * * * *", {"max_runs": 2, "misfire": "none", **_FREE}),
    "three strict": ("*/20 * * * * *", {"max_runs": 3, "misfire_grace_sec": 240, **_FREE}),
    # Two slots, one second apart.
    "pair": ("10-11 * * * * *", _FREE),
    "fives": ("*/5 * * * * *", {"end_sec": 150, **_FREE}),
    "fives too": ("*/5 * * * * *", {"end_sec": 150, "misfire": "none", **_FREE}),
    "jitter": ("* * * * *", {"jitter_sec": 40, **_FREE}),
    "latest": ("*/20 * * * * *", {"misfire": "latest", **_FREE}),
    "all": ("*/30 * * * * *", {"misfire": "all", **_FREE}),
    "none": ("*/20 * * * * *", {"misfire": "none", **_FREE}),
    "strict": ("*/20 * * * * *", {"misfire_grace_sec": 240, **_FREE}),
    "closed minute": ("* * * * *", {"blackouts": (LUNCH,), **_FREE}),
    "closed twenty": ("*/20 * * * * *", {"blackouts": (LUNCH,), **_FREE}),
    "key": ("*/30 * * * * *", {"shown": {"concurrency_key": _KEY}, "end_sec": 150, **_FREE}),
    "key too": ("*/20 * * * * *", {"shown": {"concurrency_key": _KEY}, "end_sec": 150, **_FREE}),
    "key queue": (
        "*/30 * * * * *",
        {"shown": {"concurrency_key": _KEY}, "end_sec": 150, "overlap": "queue"},
    ),
    "rated": ("*/15 * * * * *", {"shown": {"concurrency_key": _RATE}, "end_sec": 120, **_FREE}),
    "rated minute": ("* * * * *", {"shown": {"concurrency_key": _RATE}, **_FREE}),
    "own": ("*/30 * * * * *", {"target": _OWN, **_FREE}),
    "foreign": ("*/20 * * * * *", {"target": FOREIGN, **_FREE}),
    "foreign queue": ("*/30 * * * * *", {"target": FOREIGN, "overlap": "queue"}),
    "hasty": ("*/20 * * * * *", {"timeout_sec": 12, **_FREE}),
    "hasty queue": ("*/30 * * * * *", {"timeout_sec": 9, "overlap": "queue", "queue_max": 3}),
    "sickly": (
        "* * * * *",
        {"max_attempts": 1, "shown": {"pause_after_deaths": 2}, **_FREE},
    ),
    "fragile": ("*/30 * * * * *", {"max_attempts": 1, **_FREE}),
    "steady": ("*/30 * * * * *", {"max_attempts": 6, "retry": _STEADY, **_FREE}),
    "doubling": ("*/20 * * * * *", {"max_attempts": 6, "retry": _DOUBLING, **_FREE}),
    "kept minute": ("* * * * *", {"blackouts": (LUNCH,), "shown": _LISTED, **_FREE}),
    "kept twenty": ("*/20 * * * * *", {"blackouts": (LUNCH,), "shown": _LISTED, **_FREE}),
    "kept open": ("*/20 * * * * *", {"shown": _LISTED, **_FREE}),
    **TENANTS,
    **ZONED,
}
