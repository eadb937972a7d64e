"""Kinds of tasks for profiles of their own: zones, tenants, long waits; none is drawn elsewhere."""

from __future__ import annotations

from typing import Any

from onthedot.records.tasks.task_spec import Retry
from onthedot.schedule.blackouts import blackout
from tests.simulation.profiles.running.kinds import KINDS, LUNCH, Kind
from tests.simulation.profiles.running.kinds_pull import PULL_KINDS
from tests.simulation.profiles.running.kinds_targets import SERVICE_KINDS

_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_KEY = {"key": "all", "max_running": 2}
_BERLIN = {"timezone": "Europe/Berlin", "dst_mode": "fixed"}


def _night(**policy: str) -> dict[str, Any]:
    return {"zone": {**_BERLIN, **policy}, **_FREE}


def _closed(*dates: str, timezone: str = "Europe/Berlin", **given: Any) -> dict[str, Any]:
    days = blackout("days", timezone=timezone, dates=dates)
    return {"blackouts": (*given.pop("first", ()), days), **_FREE, **given}


def _closed_by(cron: str, **given: Any) -> dict[str, Any]:
    night = blackout("night", timezone="Europe/Berlin", cron=cron)
    return {"blackouts": (night,), **_FREE, **given}


_OFTEN = {"concurrency_key": {"key": "often", "rate": {"count": 2, "per_sec": 10}}}
_LATE = {"misfire": "all", **_FREE}
_LINED: dict[str, Any] = {"misfire": "all", "overlap": "queue", "end_sec": 620}
_LISTED = {"listed": "acme#s", "created_at": "2026-11-18T11:00:00.000Z"}
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
    # A run each second, while the runs of a dead worker are taken over.
    "half past": ("28-42 2 12 * * *", {"end_sec": 170, **_FREE}),
    # Its slots end before tables are set back, or in the time that they forget.
    "last early": ("*/20 * * * * *", {"end_sec": 200, **_FREE}),
    "last long": ("*/20 * * * * *", {"end_sec": 885, **_FREE}),
    "last long queue": ("*/30 * * * * *", {"end_sec": 700, "overlap": "queue"}),
    # Some of its runs are claimed, and some are left.
    "twelve": ("*/20 * * * * *", {"max_runs": 12, **_FREE}),
    "twelve latest": ("*/30 * * * * *", {"max_runs": 9, "misfire": "latest", **_FREE}),
    # Whole days are closed: in Berlin midnight comes an hour sooner than in UTC.
    "day begins": ("*/20 * * * * *", _closed("2026-12-28/2026-12-30", "2027-01-01")),
    "day ends": ("*/20 * * * * *", _closed("2027-01-02", "2026-12-31")),
    "days meet": ("* * * * *", _closed("2026-12-31", "2027-01-01/2027-01-02", "2026-12-25")),
    "days within": ("* * * * *", _closed("2026-12-24", "2026-12-20/2027-01-02")),
    "day elsewhere": ("*/20 * * * * *", _closed("2027-01-01", timezone="UTC")),
    "day and minute": (
        "*/20 * * * * *",
        _closed("2027-01-01", first=(blackout("tea", cron="58-59 22 * * *"),)),
    ),
    "day latest": ("*/20 * * * * *", _closed("2027-01-01", misfire="latest")),
    # Some minutes are closed by the walls of Berlin, on a night on which the clock is changed.
    "night before": ("*/20 * * * * *", _closed_by("58-59 1,2 * * *")),
    "night after": ("*/20 * * * * *", _closed_by("0-1 2,3 * * *")),
    "night over": ("* * * * *", _closed_by("59,0-1 * * * *")),
    "night hour": ("*/20 * * * * *", _closed_by("1-2 2 * * *", misfire="latest")),
    "night walls": ("* * * * *", _closed_by("58,1 1-3 * * *", misfire="all")),
    # Jitter reaches as far as it may: until the second before the next slot.
    "capped": ("*/10 * * * * *", {"jitter_sec": 3_600, **_FREE}),
    "capped latest": ("*/30 * * * * *", {"jitter_sec": 3_600, "misfire": "latest", **_FREE}),
    "capped queue": ("*/30 * * * * *", {"jitter_sec": 3_600, "overlap": "queue"}),
    "elapsed": ("@every 25s", _FREE),
    "kept half": ("30 * * * * *", {"blackouts": (LUNCH,), "shown": _LISTED, **_FREE}),
    # Due one second behind its slot: that is what its name makes of its jitter.
    "by one": ("*/20 * * * * *", {"jitter_sec": 1, **_FREE}),
    "by one queue": ("*/30 * * * * *", {"jitter_sec": 1, "overlap": "queue"}),
    "one later": ("*/30 * * * * *", {"jitter_sec": 1, "misfire": "latest", **_FREE}),
    # Often due in the very second of a call.
    "often": ("*/6 * * * * *", _FREE),
    # Some tenants have more to catch up on than others.
    **{f"share {each}": ("* * * * *", _LATE) for each in "abcd"},
    "single": ("* * * * *", {"tenant_id": "globex", **_LATE}),
    # Two tenants have chosen the same key.
    "key ours": ("*/20 * * * * *", _KEYED),
    "key theirs": ("*/20 * * * * *", {"tenant_id": "globex", **_KEYED}),
    "rated often": ("*/4 * * * * *", {"shown": _OFTEN, "end_sec": 60, **_FREE}),
    "rated pairs": ("*/20 * * * * *", {"shown": _OFTEN, "end_sec": 120, **_FREE}),
    # One minute each, one after another.
    **{f"minute {each}": (f"{each} 12 * * *", _FREE) for each in range(3, 10)},
    # Late slots go one at a time, whatever comes due meanwhile.
    "all skip": ("*/30 * * * * *", {"misfire": "all", "overlap": "skip", "end_sec": 620}),
    "all queue": ("*/30 * * * * *", {**_LINED, "queue_max": 2}),
    "all two": ("*/20 * * * * *", {**_LINED, "overlap": "allow", "max_concurrent": 2}),
    "all previous": ("*/40 * * * * *", {**_LINED, "overlap": "cancel_previous"}),
    "all open": ("*/10 * * * * *", {**_LINED, **_FREE}),
    "all bounded": ("*/30 * * * * *", {**_LINED, "misfire_grace_sec": 150, "max_runs": 9}),
    "all strict": ("*/20 * * * * *", {"misfire": "all", "misfire_grace_sec": 150, **_FREE}),
    "latest ending": ("*/30 * * * * *", {"misfire": "latest", "end_sec": 250, **_FREE}),
    "latest queue": ("*/30 * * * * *", {"misfire": "latest", "overlap": "queue"}),
    "latest skip": ("*/30 * * * * *", {"misfire": "latest", "overlap": "skip"}),
    "latest bounded": ("*/30 * * * * *", {"misfire": "latest", "overlap": "skip", "max_runs": 7}),
    "none skip": ("*/30 * * * * *", {"misfire": "none", "overlap": "skip"}),
    "none queue": ("*/40 * * * * *", {"misfire": "none", "overlap": "queue", "max_runs": 5}),
    "patient": (
        "at(2026-11-18T12:03:00)",
        {"prefix": "tsk", "max_attempts": 2, "retry": Retry(cap_sec=2_400), **_FREE},
    ),
}
EVERY_KIND = KINDS | PULL_KINDS | SERVICE_KINDS | APART
