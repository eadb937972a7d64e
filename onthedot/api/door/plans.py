"""Makes writes in two steps: first the plan is shown, then exactly that is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import installation_secret, responses
from onthedot.api.door.request import asked, tenant
from onthedot.records.access import plan_token
from onthedot.schedule.time.instants import moment
from onthedot.store import clock

DryRun = Annotated[Literal["true", "false"], Query()]
PlanToken = Annotated[str | None, Query(max_length=100)]


def plan(effects: Mapping[str, Any], world: object, planned_ms: int | None = None) -> Response[str]:
    """Answers with what would happen, and a token to make it happen.

    `planned_ms` is the moment for which the effects were computed, if they depend on it.
    """
    expires_ms = (clock.now_ms() if planned_ms is None else planned_ms) + plan_token.PLAN_MS
    token = plan_token.token(installation_secret.secret(), _bound(world), expires_ms)
    told = {
        "plan_token": token,
        "expires_at": moment(expires_ms),
        "effects": dict(effects),
    }
    return responses.answer(told)


def first(
    dry_run: str, token: str | None, effects: Mapping[str, Any], world: object
) -> Response[str] | None:
    """Answers with the plan if that is asked for. Else it checks the token, and returns None."""
    if dry_run == "true":
        return plan(effects, world)
    check(token, world)
    return None


def check(token: str | None, world: object) -> None:
    """Refuses to carry out a plan if something has changed since."""
    if token is not None:
        plan_token.check(token, installation_secret.secret(), _bound(world), clock.now_ms())


def planned_ms(token: str | None) -> int | None:
    """Returns when the plan that is to be carried out was made."""
    return None if token is None else plan_token.planned_ms(token)


def _bound(world: object) -> dict[str, object]:
    """Returns what a plan is valid for: this tenant, this request, this state."""
    request = asked()
    return {
        "tenant": tenant(),
        "method": request.method,
        "path": request.path,
        "body": sha256(request.body.encode()).hexdigest(),
        "world": world,
    }
