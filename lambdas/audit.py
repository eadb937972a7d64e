"""A rule's minute: look at every run that was listed and whose time has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.adapters import depth, telemetry
from onthedot.flows import exhausted, health, long_runs, loops, pauses, sweep, tallies
from onthedot.flows.audit import audit, audit_older
from onthedot.flows.not_fired import not_fired


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, float]:
    """Answer with what was seen, by outcome; backfills take their minute's step, pauses end."""
    ledger = audit()
    audit_older(ledger)
    waiting = depth.waiting()
    figures: dict[str, float] = {
        **ledger.figures(),
        **tallies.keep(ledger.tally, waiting, due=ledger.due),
        **long_runs.look_at(ledger.longest),
        **not_fired(),
        "waiting_messages": waiting,
        **exhausted.note(),
        **loops.step(),
        **health.act(),
        "audits": 1,
    }
    telemetry.emit(telemetry.MINUTE, figures)
    sweep.step()
    # Last, for it may wait until the minute is over.
    pauses.end_those_due()
    return figures
