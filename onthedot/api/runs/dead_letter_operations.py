"""Replays or purges many dead letters: first as a plan, then minute by minute."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import operation_pages, preconditions, responses
from onthedot.api.door.pages import Cursor, Limit
from onthedot.api.door.preconditions import DryRun, PlanToken
from onthedot.api.door.query_times import BACKWARDS, in_body, refused_in_body
from onthedot.api.door.request import by, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.run_shapes import DeadIn, DeadReplayIn, UseIn
from onthedot.api.views import bulk_operation
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.registry import schedule_actions
from onthedot.schedule.time.instants import moment
from onthedot.store import clock
from onthedot.upkeep import dead_letter, dead_letters
from onthedot.upkeep.dead_letter import Chosen, Letter

# Letters that a plan counts. The operation continues after them.
PLANNED_MAX = 10_000
_NAMED_MAX = 20
_KIND = "replay"


def replay(
    body: Annotated[DeadReplayIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Run dead letters again. The first request gives a plan; send its token to carry it out."""
    use = (body.use or UseIn()).use()
    more: dict[str, Any] = {"use": use.as_json()}
    more |= {"payload_patch": body.payload_patch} if body.payload_patch else {}
    return _operation("replay", body, dry_run=dry_run == "true", plan_token=plan_token, more=more)


def purge(
    body: Annotated[DeadIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Delete payload, error and result of dead letters; the record that they died stays."""
    return _operation("purge", body, dry_run=dry_run == "true", plan_token=plan_token, more={})


def index(limit: Limit = 50, cursor: Cursor = None) -> Response[str]:
    """List the operations on dead letters, newest first."""
    return operation_pages.index(_KIND, bulk_operation.operation, (limit, cursor))


def show(operation_id: str) -> Response[str]:
    """Show how far an operation is."""
    return responses.answer(bulk_operation.operation(operation_pages.find(_KIND, operation_id)))


def cancel(
    operation_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Stop an operation. What it did before is not undone."""
    found = operation_pages.find(_KIND, operation_id)
    effects = {"action": "cancel", "operation": bulk_operation.operation(found)}
    operation_pages.refuse_ended(found)
    if planned := preconditions.first(dry_run, plan_token, effects, found.status):
        return planned
    stopped = operation_pages.stop(_KIND, operation_id)
    schedule_actions.tell(by(), "dead_letters.operation_cancelled", operation_id)
    return responses.answer(bulk_operation.operation(stopped))


def _operation(
    kind: str, body: DeadIn, *, dry_run: bool, plan_token: str | None, more: dict[str, Any]
) -> Response[str]:
    """Plans or begins an operation. Later deaths are left out, so a plan does not get stale."""
    name = operation_pages.named("op")
    if before := operation_pages.begun_before(kind, name):
        return _begun(before)
    planned_ms = preconditions.planned_ms(plan_token) or clock.now_ms()
    chosen = _chosen(body, planned_ms)
    found = list(islice(dead_letters.find(tenant(), chosen), PLANNED_MAX + 1))
    world = dead_letter.digest(found)
    if dry_run or plan_token is None:
        return preconditions.plan(_effects(kind, found, body.rate_per_min), world, planned_ms)
    preconditions.check(plan_token, world)
    begun = Loop(
        loop_id=name.loop_id,
        tenant_id=name.tenant_id,
        kind=kind,
        wanted={"chosen": chosen.as_json(), **_counted(found), **more},
        cursor="",
        per_minute=body.rate_per_min,
        by=name.by,
        began_ms=name.began_ms,
    )
    operation_pages.begin(begun)
    schedule_actions.tell(by(), f"dead_letters.{kind}", begun.loop_id)
    return _begun(begun)


def _counted(found: list[Letter]) -> dict[str, Any]:
    return {"total": min(len(found), PLANNED_MAX), "complete": len(found) <= PLANNED_MAX}


def _begun(begun: Loop) -> Response[str]:
    where = f"/v1/dead-letters/operations/{begun.loop_id}"
    return responses.answer(bulk_operation.operation(begun), 202, {"Location": where})


def _chosen(body: DeadIn, planned_ms: int) -> Chosen:
    first, last = in_body(body.from_, "from"), in_body(body.to, "to")
    if first is not None and last is not None and last < first:
        raise refused_in_body("to", BACKWARDS)
    return Chosen(
        task_id=body.task_id,
        fingerprint=body.fingerprint,
        reason=body.reason,
        from_ms=(first or 0) * 1000,
        to_ms=planned_ms if last is None else min(planned_ms, last * 1000 + 999),
    )


def _effects(kind: str, found: list[Letter], rate: int) -> dict[str, Any]:
    counted = found[:PLANNED_MAX]
    tasks = Counter(letter.task_id for letter in counted).most_common(_NAMED_MAX)
    groups = dead_letter.groups(counted)[:_NAMED_MAX]
    return {
        "action": kind,
        "runs": len(counted),
        "complete": len(found) <= PLANNED_MAX,
        "oldest_at": moment(counted[-1].died_ms) if counted else None,
        "newest_at": moment(counted[0].died_ms) if counted else None,
        "tasks": [{"task_id": task_id, "runs": number} for task_id, number in tasks],
        "groups": [
            {
                "fingerprint": group.newest.fingerprint,
                "reason": group.newest.reason,
                "runs": group.count,
            }
            for group in groups
        ],
        "rate_per_min": rate,
        "minutes": -(-len(counted) // rate),
    }


HANDLERS: Handlers = {
    "POST /v1/dead-letters/replay": replay,
    "POST /v1/dead-letters/purge": purge,
    "GET /v1/dead-letters/operations": index,
    "GET /v1/dead-letters/operations/{operation_id}": show,
    "POST /v1/dead-letters/operations/{operation_id}/cancel": cancel,
}
