"""A rule's minute: look at every run that was listed and whose time has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.flows.audit import audit


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, int]:
    """Answer with what was seen, by outcome."""
    return audit().counts
