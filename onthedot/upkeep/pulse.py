"""Whether the scheduler itself is alive: when it ticked and audited last, and what waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.schedule.time.instants import parse_nominal
from onthedot.schedule.time.moments import moment

# Both go once a minute.
LATE_MS, STOPPED_MS = 90_000, 180_000
# As many as the alarm `queue-depth` is about.
WAITING_MAX = 500
# An item of an older release tells only in which minute it was written.
_IN_ITS_MINUTE_MS = 59_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """The last signs of life; what is 0 or None is not known."""

    ticked_ms: int = 0
    audited_ms: int = 0
    # Messages that were due and waited for a worker, when the audit looked.
    waiting: int | None = None
    circuit_open: bool = False


def read(backlog: Mapping[str, Any] | None, minute: Mapping[str, Any] | None) -> Pulse:
    """Read it off the item of the last tick and the newest one of the audits."""
    return Pulse(
        ticked_ms=(backlog or {}).get("at_ms", 0),
        audited_ms=audited_ms(minute) if minute else 0,
        waiting=(minute or {}).get("waiting"),
        circuit_open=bool(backlog and backlog["open"]),
    )


def of_audit(now_ms: int, waiting: int | None) -> dict[str, int]:
    """Give what an audit notes in its minute's item."""
    return {"at_ms": now_ms} | ({} if waiting is None else {"waiting": waiting})


def health(pulse: Pulse, now_ms: int) -> dict[str, str]:
    """Tell anybody how it is, in words and without figures."""
    tick, audit = _state(pulse.ticked_ms, now_ms), _state(pulse.audited_ms, now_ms)
    # What was counted long ago says nothing of now.
    queue = _depth(pulse.waiting) if audit == "ok" else "unknown"
    well = {tick, audit, queue} == {"ok"}
    status = "down" if tick == "stopped" else "ok" if well else "degraded"
    return {"status": status, "tick": tick, "audit": audit, "queue": queue}


def scheduler(pulse: Pulse, now_ms: int) -> dict[str, Any]:
    """Tell a tenant when it was last at work."""
    return {
        "state": _state(pulse.ticked_ms, now_ms),
        "ticked_at": moment(pulse.ticked_ms),
        "audited_at": moment(pulse.audited_ms),
        "circuit_open": pulse.circuit_open,
    }


def audited_ms(minute: Mapping[str, Any]) -> int:
    """Tell when the audit of a minute's item, or the last one before that was whole, looked."""
    begun_ms = parse_nominal(minute["scheduled_for"]) * 1000
    at_ms: int = minute.get("at_ms", begun_ms + _IN_ITS_MINUTE_MS)
    return at_ms


def _state(at_ms: int, now_ms: int) -> str:
    if not at_ms:
        return "unknown"
    for state, least_ms in (("stopped", STOPPED_MS), ("late", LATE_MS)):
        if now_ms - at_ms > least_ms:
            return state
    return "ok"


def _depth(waiting: int | None) -> str:
    if waiting is None:
        return "unknown"
    return "behind" if waiting > WAITING_MAX else "ok"
