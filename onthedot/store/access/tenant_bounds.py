"""Writes the one item that limits a tenant's runs: how many at once, and which targets.

A worker reads it with its rows. Each part is set on its own, so that no write undoes another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onthedot.records.runs import tenant_permits
from onthedot.store import conditional_writer

# Workers of the former release expect `most` in every such item.
_TARGETS = "SET #t = :t, #m = if_not_exists(#m, :none)"
_UNSET = "attribute_not_exists(#t) OR attribute_exists(#l)"


def set_most(tenant_id: str, most: int) -> None:
    """Sets how many of the tenant's runs may be under way. 0 means no limit."""
    _update(tenant_id, "SET #m = :m", {"#m": "most"}, {":m": most})


def set_targets(tenant_id: str, patterns: Sequence[str]) -> None:
    """Sets which targets its runs may call."""
    names, values = _targets(patterns)
    _update(tenant_id, f"{_TARGETS} REMOVE #l", {**names, "#l": "looking"}, values)


def begin_targets(tenant_id: str, patterns: Sequence[str], *, looking: bool) -> bool:
    """Sets which targets its runs may call if nobody has set them. False: an operator has.

    With `looking` an upgrade still collects the targets in use, and no call is refused.
    """
    names, values = _targets(patterns)
    names["#l"] = "looking"
    update = f"{_TARGETS}, #l = :l" if looking else f"{_TARGETS} REMOVE #l"
    values |= {":l": True} if looking else {}
    return _update(tenant_id, update, names, values, condition=_UNSET)


def _targets(patterns: Sequence[str]) -> tuple[dict[str, str], dict[str, Any]]:
    return {"#t": "targets", "#m": "most"}, {":t": list(patterns), ":none": 0}


def _update(
    tenant_id: str,
    update: str,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    *,
    condition: str = "",
) -> bool:
    return conditional_writer.update_item(
        tenant_permits.TABLE,
        tenant_permits.limit_key(tenant_id),
        update,
        names=names,
        values=values,
        condition=condition,
    )
