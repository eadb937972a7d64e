"""Checks targets by the present rules: the networks and names that this function knows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from onthedot.records.problems import Problem
from onthedot.store import aws
from onthedot.targets.http import patterns, rules
from onthedot.targets.http.addresses import networks


def check(fields: Mapping[str, Any]) -> None:
    """Refuses a target that may not be registered now."""
    rules.check(fields, networks(os.environ.get("TARGET_NETWORKS", "")), patterns.mistake)
    rules.check_own(fields["target"], aws.known())


def permits(target: Mapping[str, Any], timeout_sec: int) -> bool:
    """Tells whether a target that is already stored could be registered now."""
    try:
        check({"target": target, "timeout_sec": timeout_sec})
    except Problem:
        return False
    return True
