"""The rules for targets as they are now, by the networks and names that this function knows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from onthedot.adapters import own, patterns
from onthedot.core import target_rules
from onthedot.core.addresses import networks
from onthedot.core.problems import Problem


def check(fields: Mapping[str, Any]) -> None:
    """Refuses a target that nobody may register now."""
    target_rules.check(fields, networks(os.environ.get("TARGET_NETWORKS", "")), patterns.mistake)
    target_rules.check_own(fields["target"], own.known())


def permits(target: Mapping[str, Any], timeout_sec: int) -> bool:
    """Tells whether a target of former times could be registered now."""
    try:
        check({"target": target, "timeout_sec": timeout_sec})
    except Problem:
        return False
    return True
