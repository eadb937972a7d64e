"""What is the scheduler's own, and no run's to call: its queues, functions and topic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

# Where a target says what it calls.
_FIELDS = ("queue_url", "topic_arn", "function_arn", "state_machine_arn", "bus")
# The parts of the stack whose members CloudFormation names after stack and part.
_PARTS = ("queues", "functions", "alarms")
_NAME = re.compile(r"[a-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Ours:
    """Names that are known for certain, and the stack, after which all others are named."""

    names: frozenset[str]
    stack: str = ""

    def has(self, name: str) -> bool:
        """Tell whether something of such a name, in small letters, belongs to the scheduler."""
        made = bool(self.stack) and name.startswith(tuple(f"{self.stack}-{p}" for p in _PARTS))
        return made or name in self.names


def ours(names: list[str], stack: str) -> Ours:
    """Note what is ours; the case of letters tells nothing apart that anybody would mean."""
    return Ours(frozenset(name.casefold() for name in names), stack.casefold())


def called(target: Mapping[str, Any], known: Ours) -> str | None:
    """Give the field by which a target calls something of ours.

    Hosts, accounts, paths, versions and queries may be written in many ways, and the services
    pass over most of them: a name of ours anywhere in the field is enough.
    """
    for field in _FIELDS:
        words = _NAME.findall(unquote(str(target.get(field, ""))).casefold())
        if any(known.has(word) for word in words):
            return field
    return None


def sentence(target: Mapping[str, Any], field: str) -> str:
    """Say what is wrong, and what to do."""
    return f"'{str(target[field])[:200]}' is the scheduler's own: expected one of yours."
