"""Tells whether the scheduler is alive: its last tick and audit, and the messages that wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.schedule.time.instants import moment, parse_nominal

# Milliseconds. Tick and audit both come once a minute.
LATE_MS, STOPPED_MS = 90_000, 180_000
# Messages, as many as the alarm `queue-depth` allows.
WAITING_MAX = 500
# Milliseconds. An item of an older release has only the minute in which it was written.
_IN_ITS_MINUTE_MS = 59_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """The last signs of life. 0 or None means unknown."""

    ticked_ms: int = 0
    audited_ms: int = 0
    # Messages that were due and waited for a worker at the last audit.
    waiting: int | None = None
    circuit_open: bool = False


def read(backlog: Mapping[str, Any] | None, minute: Mapping[str, Any] | None) -> Pulse:
    """Reads it from the items of the last tick and the newest audit."""
    return Pulse(
        ticked_ms=(backlog or {}).get("at_ms", 0),
        audited_ms=audited_ms(minute) if minute else 0,
        waiting=(minute or {}).get("waiting"),
        circuit_open=bool(backlog and backlog["open"]),
    )


def of_audit(now_ms: int, waiting: int | None) -> dict[str, int]:
    """Returns what an audit writes into its minute's item."""
    return {"at_ms": now_ms} | ({} if waiting is None else {"waiting": waiting})


def health(pulse: Pulse, now_ms: int) -> dict[str, str]:
    """Returns the state for everybody, in words and without figures."""
    tick, audit = _state(pulse.ticked_ms, now_ms), _state(pulse.audited_ms, now_ms)
    # An old count says nothing about now.
    queue = _depth(pulse.waiting) if audit == "ok" else "unknown"
    well = {tick, audit, queue} == {"ok"}
    status = "down" if tick == "stopped" else "ok" if well else "degraded"
    return {"status": status, "tick": tick, "audit": audit, "queue": queue}


def scheduler(pulse: Pulse, now_ms: int) -> dict[str, Any]:
    """Returns for tenants when it last worked."""
    return {
        "state": _state(pulse.ticked_ms, now_ms),
        "ticked_at": moment(pulse.ticked_ms),
        "audited_at": moment(pulse.audited_ms),
        "circuit_open": pulse.circuit_open,
    }


def audited_ms(minute: Mapping[str, Any]) -> int:
    """Returns when the last complete audit ran, by a minute's item."""
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
