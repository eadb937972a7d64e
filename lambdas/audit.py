"""A rule's minute: look at every run whose time has come, and do all else of the minute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.upkeep.minute import minute
from onthedot.work import handler_pool


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, float]:
    """Answer with what was seen, by outcome; an act that failed fails the invocation at its end."""
    try:
        return minute()
    finally:
        handler_pool.leave_no_strays()
