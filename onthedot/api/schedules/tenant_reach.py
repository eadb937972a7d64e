"""Checks what the asking tenant may call, and which handlers exist: read once a minute.

Before a refusal it reads again what the tenant may call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from onthedot.api.door.request import tenant
from onthedot.records.access import tenant_reach
from onthedot.records.problems import Fault, Problem
from onthedot.records.runs import tenant_permits
from onthedot.registry import declared_handlers
from onthedot.registry.advice import unknown_handler
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.schedule.words.expression_warnings import Warned
from onthedot.store import aws, clock, table_reads

_KEPT_MS = 50_000
_KEPT_MAX = 1_000


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was read, and when. None if nothing is stored."""

    at_ms: int
    allowed: Sequence[str] | None
    handlers: frozenset[str] | None


_known: dict[str, _Seen] = {}


def check_reach(target: Mapping[str, Any]) -> None:
    """Refuses a target that is not among the tenant's own. The worker would not call it."""
    if tenant() == FIRST_TENANT or not tenant_reach.reached(target, aws.home()):
        return
    thing = _beyond(target)
    if thing is not None:
        # An operator may just have allowed it.
        _known.pop(tenant(), None)
        thing = _beyond(target)
    if thing is not None:
        message = tenant_reach.sentence(tenant(), thing)
        fault = Fault(pointer="/target", code="target_forbidden", message=message, field="target")
        raise Problem("target_forbidden", message, [fault])


def remarks(target: Mapping[str, Any]) -> list[Warned]:
    """Warns of a handler that does not exist. The next deployment may bring it."""
    if target.get("type") != "python":
        return []
    seen, name = _seen(tenant()), target["handler"]
    if seen.handlers is None or name in seen.handlers:
        return []
    # A tenant is told of no handler that it may not call.
    allowed = seen.allowed
    own = [
        each
        for each in sorted(seen.handlers)
        if allowed is None
        or tenant_reach.beyond({"type": "python", "handler": each}, allowed, aws.home()) is None
    ]
    return [unknown_handler(name, next(iter(get_close_matches(name, own, 1)), None))]


def forget() -> None:
    """Makes the next call read everything again."""
    _known.clear()


def _beyond(target: Mapping[str, Any]) -> str | None:
    allowed = _seen(tenant()).allowed
    return None if allowed is None else tenant_reach.beyond(target, allowed, aws.home())


def _seen(tenant_id: str) -> _Seen:
    now_ms = clock.now_ms()
    seen = _known.get(tenant_id)
    if seen is not None and now_ms - seen.at_ms < _KEPT_MS:
        return seen
    if len(_known) >= _KEPT_MAX:
        _known.clear()
    keys = {tenant_permits.TABLE: [tenant_permits.limit_key(tenant_id), declared_handlers.KEY]}
    found = table_reads.by_key(table_reads.get_many(keys)[tenant_permits.TABLE], "task_id")
    listed = found.get((declared_handlers.KEY["task_id"],))
    seen = _known[tenant_id] = _Seen(
        now_ms,
        tenant_reach.at_registration(found.get((tenant_permits.partition(tenant_id),))),
        declared_handlers.named(listed) if listed else None,
    )
    return seen
