"""A rule's minute: look at every run that was listed and whose time has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.adapters import telemetry
from onthedot.flows import backfill
from onthedot.flows.audit import audit
from onthedot.flows.not_fired import not_fired


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, int]:
    """Answer with what was seen, by outcome; backfills take their minute's step."""
    figures = audit().figures() | not_fired() | {"backfilled": backfill.step()}
    telemetry.emit("audit", figures)
    return figures
