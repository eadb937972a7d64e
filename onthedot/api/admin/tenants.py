"""Serves tenants and their limits. Only an admin of the operator's tenant sees others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.admin import key_routes
from onthedot.api.door import authentication, preconditions, responses
from onthedot.api.door.preconditions import DryRun, PlanToken
from onthedot.api.door.request import by, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.action_shapes import KeyIn
from onthedot.api.requests.calendar_shapes import TenantIn
from onthedot.records.access import api_key, tenant_reach
from onthedot.records.access.api_key import TASKS_MAX
from onthedot.records.problems import Fault, Problem, not_found, of_faults
from onthedot.registry import schedule_actions
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.registry.api_keys import of as keys_of
from onthedot.schedule.time.instants import moment
from onthedot.store import clock, table_reads
from onthedot.store.access import tenant_bounds, tenants
from onthedot.work.gates import tenant_line

# Stored beside the permits, where workers read them.
_BOUNDS = ("running_max", "targets")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def index() -> Response[str]:
    """List the tenants that this key may see."""
    known = [*tenants.listed(), FIRST_TENANT] if _operates() else [tenant()]
    bounds_of = tenant_line.limits(set(known))
    items = {one: api_key.tenant_key(one) for one in sorted(set(known))}
    found = table_reads.get_all(api_key.TABLE, items.values())
    read = table_reads.by_key(found, "pk")
    shown = [_view(one, read.get((key["pk"],), {}), bounds_of) for one, key in items.items()]
    return responses.answer({"data": shown, "next_cursor": None})


def show(tenant_id: str) -> Response[str]:
    """Show what a tenant may use, and how much of it is used."""
    _check_seen(tenant_id)
    return responses.answer(_shown(tenant_id, tenant_line.limits([tenant_id])))


def put(
    tenant_id: str,
    body: Annotated[TenantIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Set what a tenant may use; create the tenant if there is none of that name."""
    _check_operated(tenant_id)
    seen = tenants.read(tenant_id)
    before = _shown(tenant_id, tenant_line.limits([tenant_id]))
    given = _new(tenant_id, seen) | body.model_dump(exclude_none=True, exclude={"running_max"})
    _check_targets(tenant_id, given)
    if "running_max" in body.model_fields_set:
        given["running_max"] = body.running_max
    effects = {"action": "limit", "before": before, "after": {**before, **given}}
    # The number of its tasks changes at any time. That does not make the plan stale.
    world = {name: before[name] for name in before if name != "tasks"}
    if planned := preconditions.first(dry_run, plan_token, effects, world):
        return planned
    kept = {name: given[name] for name in given if name not in _BOUNDS}
    if "targets" in given:
        # Written first: no tenant, not even a new one, is ever without limits.
        tenant_bounds.set_targets(tenant_id, given["targets"])
    if not tenants.limit(tenant_id, seen, seen | kept):
        raise Problem("version_mismatch", "Its limits have just been changed: read them again.")
    tenants.list_it(tenant_id, moment(clock.now_ms()) or "")
    if "running_max" in given:
        tenant_line.set_limit(tenant_id, given["running_max"])
    after = _shown(tenant_id, tenant_line.limits([tenant_id]))
    schedule_actions.tell(by(), "tenant.changed", tenant_id, before=before, after=after)
    return responses.answer(after)


def make_key(
    tenant_id: str,
    body: Annotated[KeyIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Make a key for a tenant. Only this answer shows its text."""
    _check_operated(tenant_id)
    new = _new(tenant_id, tenants.read(tenant_id))
    if new and dry_run != "true":
        tenant_bounds.set_targets(tenant_id, new["targets"])
        tenants.list_it(tenant_id, moment(clock.now_ms()) or "")
    return key_routes.make(tenant_id, body, dry_run, plan_token)


def _operates() -> bool:
    return tenant() == FIRST_TENANT


def _check_seen(tenant_id: str) -> None:
    """Hides all other tenants from a tenant."""
    if tenant_id != tenant() and not (_operates() and tenant_id in tenants.listed()):
        raise not_found("tenant of that name")


def _check_operated(tenant_id: str) -> None:
    """Refuses a tenant that would raise its own limit."""
    if not _operates():
        if tenant_id != tenant():
            raise not_found("tenant of that name")
        raise Problem("forbidden", f"Only an admin of the tenant '{FIRST_TENANT}' may do this.")
    if not _NAME.fullmatch(tenant_id):
        raise not_found("tenant of that name (names have small letters, digits and dashes)")


def _new(tenant_id: str, seen: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the limits of a new tenant: until set, it may call only http and its pull queues."""
    known = seen or tenant_id == FIRST_TENANT or tenant_id in tenants.listed()
    return {} if known or keys_of(tenant_id) else {"targets": []}


def _check_targets(tenant_id: str, given: dict[str, Any]) -> None:
    if "targets" not in given:
        return
    given["targets"] = list(dict.fromkeys(given["targets"]))
    wrong = [(place, tenant_reach.mistake(one)) for place, one in enumerate(given["targets"])]
    faults = [
        _fault(f"/targets/{place}", f"'{given['targets'][place]}' is no target: {said}.")
        for place, said in wrong
        if said
    ]
    if not faults and not tenant_reach.fits(given["targets"]):
        message = (
            f"targets has more than {tenant_reach.LETTERS_MAX} letters: expected shorter patterns."
        )
        faults = [_fault("/targets", message)]
    if tenant_id == FIRST_TENANT:
        message = f"For '{FIRST_TENANT}' the setting targets says this: change it and deploy."
        faults = [_fault("/targets", message)]
    if faults:
        raise of_faults("invalid_field", faults)


def _fault(pointer: str, message: str) -> Fault:
    return Fault(pointer=pointer, code="bad_value", message=message, field="targets")


def _shown(tenant_id: str, bounds_of: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return _view(tenant_id, tenants.read(tenant_id), bounds_of)


def _view(
    tenant_id: str, found: Mapping[str, Any], bounds_of: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    most = found.get("tasks_max", TASKS_MAX)
    # The counter of what is left begins full.
    used = most - found.get("tasks_left", most)
    bounded = bounds_of.get(tenant_id, {})
    return {
        "tenant_id": tenant_id,
        "tasks": used,
        "tasks_max": most,
        # Null means no limit.
        "running_max": bounded.get("most") or None,
        "requests_per_min": found.get("requests_per_min", authentication.PER_MINUTE),
        # Null means what the setting names.
        "targets": bounded.get("targets"),
    }


HANDLERS: Handlers = {
    "GET /v1/tenants": index,
    "GET /v1/tenants/{tenant_id}": show,
    "PUT /v1/tenants/{tenant_id}": put,
    "POST /v1/tenants/{tenant_id}/keys": make_key,
}
