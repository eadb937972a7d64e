"""Serves API keys: made and shown once, listed, revoked."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import preconditions, query_times, responses
from onthedot.api.door.preconditions import DryRun, PlanToken
from onthedot.api.door.request import by, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.action_shapes import KeyIn
from onthedot.records.access.api_key import Key, view
from onthedot.records.problems import Fault, Problem, not_found, of_faults
from onthedot.registry import api_keys
from onthedot.store import clock
from onthedot.store.access import access_table


def create(
    body: Annotated[KeyIn, Body()], dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Make a key for this tenant. Only this answer shows its text."""
    return make(tenant(), body, dry_run, plan_token)


def make(of: str, body: KeyIn, dry_run: str, plan_token: str | None) -> Response[str]:
    """Makes a key for any tenant. The caller was checked before."""
    expires = query_times.in_body(body.expires_at, "expires_at")
    if expires is not None and expires * 1000 <= clock.now_ms():
        raise Problem("invalid_field", "expires_at has passed: expected a later instant.")
    if body.queues and body.role != "worker":
        message = f"queues is only for keys of the role 'worker': this one is '{body.role}'."
        fault = Fault(pointer="/queues", code="bad_value", message=message, field="queues")
        raise of_faults("invalid_field", [fault])
    wanted = {"tenant_id": of, **body.model_dump(exclude_none=True)}
    if planned := preconditions.first(
        dry_run, plan_token, {"action": "create", "key": wanted}, None
    ):
        return planned
    key, text = api_keys.make(
        tenant_id=of,
        role=body.role,
        name=body.name or "",
        expires_ms=(expires or 0) * 1000,
        queues=tuple(dict.fromkeys(body.queues or ())),
        by=by(),
    )
    where = {"Location": f"/v1/keys/{key.key_id}"} if of == tenant() else {}
    return responses.answer({**view(key, api_keys.warnings(key)), "key": text}, 201, where)


def index() -> Response[str]:
    """List this tenant's keys, without their texts."""
    found = api_keys.of(tenant())
    shown = [view(key, api_keys.warnings(key, found)) for key in found]
    return responses.answer({"data": shown, "next_cursor": None})


def show(key_id: str) -> Response[str]:
    """Show one key, without its text."""
    key = _find(key_id)
    return responses.answer(view(key, api_keys.warnings(key)))


def revoke(key_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None) -> Response[str]:
    """Revoke a key: it stops working within 60 seconds.

    The operator's last valid admin key cannot be revoked: make another one first.
    """
    key = _find(key_id)
    api_keys.check_revocable(key)
    shown = view(key)
    # The key may be used at any time. That does not make the plan stale.
    world = {name: shown[name] for name in shown if name not in ("last_used_at", "warnings")}
    if planned := preconditions.first(
        dry_run, plan_token, {"action": "revoke", "key": shown}, world
    ):
        return planned
    api_keys.revoke(key, by())
    return responses.empty()


def _find(key_id: str) -> Key:
    found = access_table.key(key_id)
    if found is None or found.tenant_id != tenant():
        raise not_found("key of that id")
    return found


HANDLERS: Handlers = {
    "POST /v1/keys": create,
    "GET /v1/keys": index,
    "GET /v1/keys/{key_id}": show,
    "DELETE /v1/keys/{key_id}": revoke,
}
