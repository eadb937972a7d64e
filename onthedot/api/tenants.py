"""Tenants: what each may use. Only an admin of the first one, the operator's, sees the others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.adapters import clock
from onthedot.adapters import tenants as stored
from onthedot.api import answers, keys, limits, plans
from onthedot.api.answers import Handlers
from onthedot.api.asking import by, tenant
from onthedot.api.plans import DryRun, PlanToken
from onthedot.api.shapes_acts import KeyIn
from onthedot.api.shapes_calendars import TenantIn
from onthedot.core.access import TASKS_MAX
from onthedot.core.moments import moment
from onthedot.core.problems import Problem, not_found
from onthedot.flows import define, line
from onthedot.flows.keys import FIRST_TENANT

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def index() -> Response[str]:
    """List the tenants that this key may see."""
    known = [*stored.listed(), FIRST_TENANT] if _operates() else [tenant()]
    limit_of = line.limits(set(known))
    shown = [_shown(one, limit_of) for one in sorted(set(known))]
    return answers.answer({"data": shown, "next_cursor": None})


def show(tenant_id: str) -> Response[str]:
    """Show what a tenant may use, and how much of it is used."""
    _check_seen(tenant_id)
    return answers.answer(_shown(tenant_id, line.limits([tenant_id])))


def put(
    tenant_id: str,
    body: Annotated[TenantIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Set what a tenant may use, and make it if there is none of that name."""
    _check_operated(tenant_id)
    seen = stored.read(tenant_id)
    before = _shown(tenant_id, line.limits([tenant_id]))
    given = body.model_dump(exclude_none=True, exclude={"running_max"})
    if "running_max" in body.model_fields_set:
        given["running_max"] = body.running_max
    effects = {"action": "limit", "before": before, "after": {**before, **given}}
    # How many tasks it has changes at any time: that is no other world.
    world = {name: before[name] for name in before if name != "tasks"}
    if planned := plans.first(dry_run, plan_token, effects, world):
        return planned
    kept = {name: given[name] for name in given if name != "running_max"}
    if not stored.limit(tenant_id, seen, seen | kept):
        raise Problem("version_mismatch", "Its limits have just been changed: read them again.")
    stored.list_it(tenant_id, moment(clock.now_ms()) or "")
    if "running_max" in given:
        line.set_limit(tenant_id, given["running_max"])
    after = _shown(tenant_id, line.limits([tenant_id]))
    define.tell(by(), "tenant.changed", tenant_id, before=before, after=after)
    return answers.answer(after)


def make_key(
    tenant_id: str,
    body: Annotated[KeyIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Make a key for a tenant. Its text is in this answer and nowhere else."""
    _check_operated(tenant_id)
    return keys.make(tenant_id, body, dry_run, plan_token)


def _operates() -> bool:
    return tenant() == FIRST_TENANT


def _check_seen(tenant_id: str) -> None:
    """To a tenant there is no other."""
    if tenant_id != tenant() and not (_operates() and tenant_id in stored.listed()):
        raise not_found("tenant of that name")


def _check_operated(tenant_id: str) -> None:
    """Nobody raises a limit of their own."""
    if not _operates():
        if tenant_id != tenant():
            raise not_found("tenant of that name")
        raise Problem("forbidden", f"Only an admin of the tenant '{FIRST_TENANT}' may do this.")
    if not _NAME.fullmatch(tenant_id):
        raise not_found("tenant of such a name: expected small letters, digits and dashes")


def _shown(tenant_id: str, limit_of: Mapping[str, int]) -> dict[str, Any]:
    found = stored.read(tenant_id)
    most = found.get("tasks_max", TASKS_MAX)
    # The counter of what is left begins full.
    used = most - found.get("tasks_left", most)
    return {
        "tenant_id": tenant_id,
        "tasks": used,
        "tasks_max": most,
        # Null is no limit.
        "running_max": limit_of.get(tenant_id),
        "requests_per_min": found.get("requests_per_min", limits.PER_MINUTE),
    }


HANDLERS: Handlers = {
    "GET /v1/tenants": index,
    "GET /v1/tenants/{tenant_id}": show,
    "PUT /v1/tenants/{tenant_id}": put,
    "POST /v1/tenants/{tenant_id}/keys": make_key,
}
