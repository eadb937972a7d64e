"""Adds warnings to the answer of a write: about its handler and its owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from onthedot.api.schedules import tenant_reach
from onthedot.registry.advice import undone
from onthedot.registry.field_rules import of_code


def told(shown: Mapping[str, Any], *, edited: bool = False) -> dict[str, Any]:
    """Puts these warnings first."""
    found = tenant_reach.remarks(shown["target"])
    if edited and of_code(shown["managed_by"]):
        found.append(undone(shown["managed_by"]))
    return {**shown, "warnings": [*map(asdict, found), *shown["warnings"]]}
