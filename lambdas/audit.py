"""Audits each minute: it looks at every run whose time has come, and does the minute's work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.store import aws
from onthedot.upkeep.minute import minute
from onthedot.work import handler_pool

aws.prepare("dynamodb", "sqs")


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, float]:
    """Returns what was seen, by outcome. If an act failed, the invocation fails at its end."""
    try:
        return minute()
    finally:
        handler_pool.leave_no_strays()
