"""Registers three sample schedules in a new folder. A deleted one stays deleted."""

from __future__ import annotations

from onthedot.local.caller import Caller

_CREATED, _CONFLICT = 201, 409
_TARGET = {"type": "python", "handler": "hello"}
SAMPLES = (
    {"name": "every-ten-seconds", "cron": "*/10 * * * * *", "payload": {"who": "the tens"}},
    {"name": "every-minute-in-paris", "cron": "* * * * *", "timezone": "Europe/Paris"},
    {"name": "every-90-seconds", "every_sec": 90, "jitter_sec": 5},
)


def register(caller: Caller) -> None:
    """Registers those that do not exist yet."""
    for sample in SAMPLES:
        status, answer = caller.ask("POST", "/v1/schedules", {"target": _TARGET, **sample})
        if status not in (_CREATED, _CONFLICT):
            raise RuntimeError(f"{sample['name']} was not registered: {status} {answer}")
