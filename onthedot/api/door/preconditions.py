"""Checks what a caller demands of a write: the version that it replaces, or the plan it saw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import installation_secret, responses
from onthedot.api.door.request import asked, tenant
from onthedot.api.door.responses import etag, names
from onthedot.records.access import plan_token
from onthedot.records.problems import Fault, Problem, of_faults
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import moment
from onthedot.store import clock


def check_version(version: int) -> None:
    """Refuses a write whose If-Match does not name this version."""
    headers = asked().headers
    if "if-match" in headers and not names(headers, "if-match", etag(version)):
        message = f"It has version {version} now: read it again, then change it."
        raise Problem("version_mismatch", message, headers={"ETag": etag(version)})


def check_task(task: Task) -> None:
    """Refuses to change a task that the caller has not read in its present version."""
    check_version(task.version)


def check_none_wanted(what: str) -> None:
    """Refuses to create what the caller meant to replace: it was ended since."""
    if "if-match" in asked().headers:
        message = f"There is no {what} to replace: leave If-Match out to make one."
        raise Problem("version_mismatch", message)


def require_version() -> None:
    """Refuses to replace a whole object without If-Match: the caller may never have seen it."""
    if "if-match" not in asked().headers:
        message = 'It exists already: expected the header If-Match: "<version>", or * for any.'
        raise Problem("version_required", message)


def check_new() -> bool:
    """Tells whether the caller only wants to create."""
    return "*" in asked().headers.get("if-none-match", "")


def check_read_only(given: dict[str, Any], present: dict[str, Any]) -> None:
    """Accepts a read-only field that has its present value. Any other value is refused."""
    faults = [
        Fault(
            pointer=f"/{name}",
            code="read_only_field",
            message=_kept(name, present),
            field=name,
        )
        for name, value in given.items()
        if value is not None and present.get(name) != value
    ]
    if faults:
        raise of_faults("read_only_field", faults)


def _kept(name: str, present: dict[str, Any]) -> str:
    if name not in present:
        return f"{name} is read-only: leave it out, the system sets it."
    stands = json.dumps(present[name], ensure_ascii=False)
    by_other = " Pause or resume it to change that." if name == "status" else ""
    return f"{name} is read-only: leave it out, or send its present value, {stands[:64]}.{by_other}"


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
