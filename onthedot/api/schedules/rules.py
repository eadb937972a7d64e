"""Checks new definitions by the rules, the operator's networks, and what their tenant may reach."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

from onthedot.api.door.request import asked, tenant
from onthedot.records.access import tenant_reach
from onthedot.records.problems import Fault, Problem
from onthedot.records.runs import tenant_permits
from onthedot.records.tasks import payloads
from onthedot.registry import declared_handlers, definition
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.registry.definition import of_code, undone, unknown_handler
from onthedot.schedule.words.expression_warnings import Warned
from onthedot.store import aws, clock, table_reads
from onthedot.targets import current_rules

PAYLOAD_BYTES_MAX = 256 * 1024
# Bytes. An item of the store has 400 kB: the rest is for the payload, calendars, names.
DEFINITION_BYTES_MAX = 280_000
# A letter has at most four bytes: a shorter body holds no payload that is too large.
_LETTERS_MIN = PAYLOAD_BYTES_MAX // 4


def check(fields: Mapping[str, Any]) -> None:
    """Refuses a conflict of fields, and a target that the worker would refuse later."""
    check_payload(fields.get("payload"))
    _check_size(fields)
    definition.check(fields)
    _check_target(fields)


def check_target(target: Mapping[str, Any], timeout_sec: int) -> None:
    """Refuses a stored target that could not be registered now."""
    _check_target({"target": target, "timeout_sec": timeout_sec})


def _check_target(fields: Mapping[str, Any]) -> None:
    current_rules.check(fields)
    check_reach(fields["target"])


def check_payload(payload: Any) -> None:  # noqa: ANN401 any JSON
    """Refuses a payload that no run may carry."""
    if len(asked().body) < _LETTERS_MIN:
        return
    size = len(payloads.written(payload).encode())
    if size > PAYLOAD_BYTES_MAX:
        message = f"The payload has {size:,} bytes: expected {PAYLOAD_BYTES_MAX:,} at most."
        raise Problem("payload_too_large", message)


def _check_size(fields: Mapping[str, Any]) -> None:
    """Refuses what would not fit into one item. The store counts bytes, not letters."""
    told = {name: value for name, value in fields.items() if name != "payload"}
    size = len(json.dumps(told, ensure_ascii=False).encode())
    if size > DEFINITION_BYTES_MAX:
        message = (
            f"Without its payload it has {size:,} bytes: expected {DEFINITION_BYTES_MAX:,} at most."
        )
        raise Problem("payload_too_large", message)


def told(shown: Mapping[str, Any], *, edited: bool = False) -> dict[str, Any]:
    """Puts these warnings first."""
    found = remarks(shown["target"])
    if edited and of_code(shown["managed_by"]):
        found.append(undone(shown["managed_by"]))
    return {**shown, "warnings": [*map(asdict, found), *shown["warnings"]]}


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
    keys = [tenant_permits.limit_key(tenant_id), declared_handlers.KEY]
    found = table_reads.by_key(table_reads.get_all(tenant_permits.TABLE, keys), "task_id")
    listed = found.get((declared_handlers.KEY["task_id"],))
    seen = _known[tenant_id] = _Seen(
        now_ms,
        tenant_reach.at_registration(found.get((tenant_permits.partition(tenant_id),))),
        declared_handlers.named(listed) if listed else None,
    )
    return seen
