"""What the tenant that asks may call: read once a minute, and again before a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onthedot.adapters import aws, clock, tables
from onthedot.api.asking import tenant
from onthedot.core import quota, reach
from onthedot.core.problems import Fault, Problem
from onthedot.flows.keys import FIRST_TENANT

_KEPT_MS = 50_000
_KEPT_MAX = 1_000
_known: dict[str, tuple[int, Sequence[str] | None]] = {}


def check(target: Mapping[str, Any]) -> None:
    """Refuse a target that is not among the tenant's own; the worker would not call it."""
    if tenant() == FIRST_TENANT or not reach.reached(target, aws.home()):
        return
    thing = _beyond(target)
    if thing is not None:
        # An operator may just have allowed it.
        _known.pop(tenant(), None)
        thing = _beyond(target)
    if thing is not None:
        message = reach.sentence(tenant(), thing)
        fault = Fault(pointer="/target", code="target_forbidden", message=message, field="target")
        raise Problem("target_forbidden", message, [fault])


def forget() -> None:
    """Read everything again from now on."""
    _known.clear()


def _beyond(target: Mapping[str, Any]) -> str | None:
    allowed = _allowed(tenant())
    return None if allowed is None else reach.beyond(target, allowed, aws.home())


def _allowed(tenant_id: str) -> Sequence[str] | None:
    now_ms = clock.now_ms()
    read_ms, allowed = _known.get(tenant_id, (0, None))
    if now_ms - read_ms < _KEPT_MS:
        return allowed
    if len(_known) >= _KEPT_MAX:
        _known.clear()
    allowed = reach.at_registration(tables.get(quota.TABLE, quota.limit_key(tenant_id)))
    _known[tenant_id] = (now_ms, allowed)
    return allowed
