"""Limits existing tenants at an upgrade to the targets that their tasks use.

Calls are held to the list only when all tasks are collected, so no accepted run dies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from onthedot.records.access import api_key, tenant_reach
from onthedot.records.keys import SPEC
from onthedot.records.tasks.task_spec import ENDED, TABLE
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.store import aws, clock, full_scan
from onthedot.store.access import tenant_bounds, tenants
from onthedot.work.gates import tenant_line

# Seconds. The API keeps what it read for 50 s, and a request takes up to 29 s.
SETTLED_SEC = 80.0
_TENANT = "tenant#"
# The names or ids of the tasks by the thing that they use.
Used = dict[str, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A tenant, what it may call from now on, and which of its tasks would be refused otherwise."""

    tenant_id: str
    targets: list[str]
    used: Mapping[str, list[str]]


def bound(waiting: Sequence[str], wait: Callable[[float], None] = clock.sleep) -> list[Bounded]:
    """Sets the targets in use for tenants without a list. A list by an operator stays."""
    if not waiting:
        return []
    used = _used(waiting)
    looked = [each for each in waiting if _begin(each, used[each], looking=True)]
    if not looked:
        return []
    wait(SETTLED_SEC)
    used = _used(looked)
    return [
        Bounded(tenant_id=each, targets=tenant_reach.patterns_for(used[each]), used=used[each])
        for each in looked
        if _begin(each, used[each], looking=False)
    ]


def unbound() -> list[str]:
    """Returns the tenants without limits, also those of an upgrade that broke off."""
    known = {*tenants.listed(), *_with_items()} - {FIRST_TENANT}
    items = tenant_line.limits(known)
    return sorted(each for each in known if tenant_reach.at_call(items.get(each)) is None)


def _with_items() -> Iterable[str]:
    """Returns all tenants with items. A tenant may have keys without being listed."""
    for item in full_scan.items(api_key.TABLE):
        if str(item["pk"]).startswith(_TENANT):
            yield str(item["pk"]).removeprefix(_TENANT)


def _begin(tenant_id: str, used: Used, *, looking: bool) -> bool:
    return tenant_bounds.begin_targets(tenant_id, tenant_reach.patterns_for(used), looking=looking)


def _used(tenant_ids: Iterable[str]) -> dict[str, Used]:
    wanted, home = set(tenant_ids), aws.home()
    found: dict[str, Used] = {each: defaultdict(list) for each in wanted}
    for item in full_scan.items(TABLE):
        if item["part"] != SPEC or item["tenant_id"] not in wanted or item["status"] in ENDED:
            continue
        for thing in tenant_reach.reached(item["target"], home):
            found[item["tenant_id"]][thing].append(item.get("name") or item["task_id"])
    return found
