"""Definitions as they come: held to the rules, with the networks that the operator opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from onthedot.core import field_rules, target_rules
from onthedot.core.addresses import networks


def check(fields: Mapping[str, Any]) -> None:
    """Refuse what contradicts itself, and a target that the worker would refuse later."""
    field_rules.check(fields)
    target_rules.check(fields, networks(os.environ.get("TARGET_NETWORKS", "")))
