"""Finds targets that are the scheduler's own queues, functions or topic. No run may call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

# The fields of a target that say what it calls.
_FIELDS = ("queue_url", "topic_arn", "function_arn", "state_machine_arn", "bus")
# CloudFormation names the members of these parts after the stack and the part.
_PARTS = ("queues", "functions", "alarms")
_NAME = re.compile(r"[a-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Ours:
    """The names that are known, and the stack, whose name begins all others."""

    names: frozenset[str]
    stack: str = ""

    def has(self, name: str) -> bool:
        """Tells whether a resource of this name, in lower case, belongs to the scheduler."""
        made = bool(self.stack) and name.startswith(tuple(f"{self.stack}-{p}" for p in _PARTS))
        return made or name in self.names


def ours(names: list[str], stack: str) -> Ours:
    """Collects our names in lower case: names that differ only in case count as the same."""
    return Ours(frozenset(name.casefold() for name in names), stack.casefold())


def called(target: Mapping[str, Any], known: Ours) -> str | None:
    """Returns the field by which a target calls a resource of ours.

    Hosts, accounts, paths, versions and queries have many spellings, and the services ignore most
    of them. So one of our names anywhere in the field is enough.
    """
    for field in _FIELDS:
        words = _NAME.findall(unquote(str(target.get(field, ""))).casefold())
        if any(known.has(word) for word in words):
            return field
    return None


def sentence(target: Mapping[str, Any], field: str) -> str:
    """Says what is wrong, and what to do."""
    return f"'{str(target[field])[:200]}' belongs to the scheduler: expected one of yours."
