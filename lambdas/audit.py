"""A rule's minute: look at every run whose time has come, and do all else of the minute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.adapters import runner
from onthedot.flows.minute import minute


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, float]:
    """Answer with what was seen, by outcome; an act that failed fails the invocation at its end."""
    try:
        return minute()
    finally:
        runner.leave_no_strays()
