"""API keys: made and shown once, listed, revoked."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.adapters import access as stored
from onthedot.adapters import clock
from onthedot.api import answers, instants, plans
from onthedot.api.answers import Handlers
from onthedot.api.asking import by, tenant
from onthedot.api.plans import DryRun, PlanToken
from onthedot.api.shapes_acts import KeyIn
from onthedot.core.access import Key, view
from onthedot.core.problems import Fault, Problem, not_found, of_faults
from onthedot.flows import keys


def create(
    body: Annotated[KeyIn, Body()], dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Make a key for this tenant. Its text is in this answer and nowhere else."""
    return make(tenant(), body, dry_run, plan_token)


def make(of: str, body: KeyIn, dry_run: str, plan_token: str | None) -> Response[str]:
    """Make a key for any tenant; whoever asks has been checked."""
    expires = instants.in_body(body.expires_at, "expires_at")
    if expires is not None and expires * 1000 <= clock.now_ms():
        raise Problem("invalid_field", "expires_at has passed: expected an instant to come.")
    if body.queues and body.role != "worker":
        message = f"queues is only for keys of the role 'worker': this one is '{body.role}'."
        fault = Fault(pointer="/queues", code="bad_value", message=message, field="queues")
        raise of_faults("invalid_field", [fault])
    wanted = {"tenant_id": of, **body.model_dump(exclude_none=True)}
    if planned := plans.first(dry_run, plan_token, {"action": "create", "key": wanted}, None):
        return planned
    key, text = keys.make(
        tenant_id=of,
        role=body.role,
        name=body.name or "",
        expires_ms=(expires or 0) * 1000,
        queues=tuple(dict.fromkeys(body.queues or ())),
        by=by(),
    )
    where = {"Location": f"/v1/keys/{key.key_id}"} if of == tenant() else {}
    return answers.answer({**view(key, keys.warnings(key)), "key": text}, 201, where)


def index() -> Response[str]:
    """List this tenant's keys, without their texts."""
    found = keys.of(tenant())
    shown = [view(key, keys.warnings(key, found)) for key in found]
    return answers.answer({"data": shown, "next_cursor": None})


def show(key_id: str) -> Response[str]:
    """Show one key, without its text."""
    key = _find(key_id)
    return answers.answer(view(key, keys.warnings(key)))


def revoke(key_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None) -> Response[str]:
    """Revoke a key: within 60 seconds it opens nothing any more.

    The operator's last admin key that opens cannot be revoked: make another one first.
    """
    key = _find(key_id)
    keys.check_revocable(key)
    shown = view(key)
    # It may be used at any time: that is no other world.
    world = {name: shown[name] for name in shown if name not in ("last_used_at", "warnings")}
    if planned := plans.first(dry_run, plan_token, {"action": "revoke", "key": shown}, world):
        return planned
    keys.revoke(key, by())
    return answers.empty()


def _find(key_id: str) -> Key:
    found = stored.key(key_id)
    if found is None or found.tenant_id != tenant():
        raise not_found("key of that id")
    return found


HANDLERS: Handlers = {
    "POST /v1/keys": create,
    "GET /v1/keys": index,
    "GET /v1/keys/{key_id}": show,
    "DELETE /v1/keys/{key_id}": revoke,
}
