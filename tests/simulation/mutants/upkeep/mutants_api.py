"""Planted faults of the API's handlers: what was asked is done twice, half, otherwise, or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from onthedot.api.door import authentication, preconditions, repeated_requests
from onthedot.api.door.request import tried_before
from onthedot.api.runs import run_actions
from onthedot.api.schedules import actions
from onthedot.dispatch import extra_runs, plan_effects
from onthedot.launch import trigger
from onthedot.records.keys import moment_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.registry import code_schedules, definition, schedule_actions
from onthedot.store import clock, ids
from onthedot.store.access import access_table, request_quota
from onthedot.upkeep import bulk_operations
from tests.simulation.mutants.mutant import Mutant, Patch


def carried_out_again() -> list[Patch]:
    """An Idempotency-Key is not looked at."""
    return [(repeated_requests, "once", lambda _asked, answer: answer())]


def another_run() -> list[Patch]:
    """Each try of a trigger makes a run of its own."""
    own = lambda: (clock.now_ms(), ids.token(6))  # noqa: E731  # in the place of a function
    return [(actions, "own_moment", own)]


def found_resumed() -> list[Patch]:
    """A second try takes a schedule that the first one resumed as it is."""
    return [(actions, "before_resume", lambda task: task)]


def forgetful() -> list[Patch]:
    """A patch of the payload is acknowledged, and not written."""
    original = definition.patched

    def patched(fields: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        return original(fields, {name: given[name] for name in given if name != "payload"})

    return [(definition, "patched", patched)]


def mislabelled() -> list[Patch]:
    """A replay gets the key of a manual run."""
    return [
        (run_actions, "moment_key", lambda now_ms, _kind, token: moment_key(now_ms, "m", token))
    ]


def unpaid() -> list[Patch]:
    """A trigger runs with its schedule's payload, whatever was asked."""
    original = extra_runs.launched
    return [(trigger, "launched", lambda run, _payload: original(run, None))]


def at_once() -> list[Patch]:
    """A trigger runs at once, whenever it is to be due."""
    original = extra_runs.launched

    def launched(run: Run, payload: object) -> Run:
        now_ms = min(run.life.due_ms, clock.now_ms())
        return original(replace(run, life=replace(run.life, due_ms=now_ms)), payload)

    return [(trigger, "launched", launched)]


def left_behind() -> list[Patch]:
    """A resume with its plan runs nothing of what passed."""
    return [(schedule_actions, "catch_up", lambda _task, _slots: None)]


def caught_up_to_now() -> list[Patch]:
    """A plan is carried out for what has passed by now, not for what it showed."""
    original = preconditions.planned_ms
    return [(preconditions, "planned_ms", lambda token: original(None) if token else None)]


def done_at_first() -> list[Patch]:
    """A backfill's first step says that it is done."""

    def step(loop: Loop) -> Loop:
        return replace(loop, status="done", ended_ms=clock.now_ms())

    return [(bulk_operations, "_STEPS", {**bulk_operations._STEPS, "backfill": step})]  # noqa: SLF001  # planted there


def remembered_long() -> list[Patch]:
    """A key that was revoked opens for five minutes."""
    return [(authentication, "REMEMBERED_MS", 300_000)]


def unknown_long() -> list[Patch]:
    """A key opens only once it has been seen by the hour."""
    original = access_table.key

    def key(key_id: str) -> Any:
        found = original(key_id)
        new = found is not None and found.name == "robot" and not found.last_used_ms
        return None if new else found

    return [(access_table, "key", key)]


def names_shared() -> list[Patch]:
    """A create takes no name."""
    original = schedule_actions.create_with
    return [(schedule_actions, "create_with", lambda task, also: original(task, also[1:]))]


def unlimited() -> list[Patch]:
    """No request is counted."""
    return [(authentication, "spend", lambda _asked: None)]


def hoarded() -> list[Patch]:
    """The first environment takes the whole minute for itself."""
    original: Callable[..., Any] = request_quota.take

    def take(tenant_id: str, *, block: int, most: int, **named: Any) -> Any:
        return original(tenant_id, block=max(block, most), most=most, **named)

    return [(request_quota, "take", take)]


def uncounted() -> list[Patch]:
    """A create does not count against the tenant's tasks."""
    return [(schedule_actions, "count", lambda _tenant_id, _number: None)]


def others_left() -> list[Patch]:
    """A deployment ends nothing that its code declares no more."""
    return [(code_schedules, "_end_others", lambda _kept, _tenant_id: 0)]


def old_due() -> list[Patch]:
    """A claim that an edit takes over stays due when it was."""
    return [(plan_effects, "_due_ms", lambda _claim, seen: seen.life.due_ms)]


def breaks_down() -> list[Patch]:
    """What has been done is told of, and the handler fails over it."""

    def tell(*_given: Any, **_named: Any) -> None:
        raise RuntimeError("planted")

    return [(schedule_actions, "tell", tell)]


def refused_again() -> list[Patch]:
    """A plan is good once: its second try is told that it is stale."""
    original = preconditions.check

    def check(token: str | None, world: object) -> None:
        original(token, [world, "again"] if token and tried_before() else world)

    return [(preconditions, "check", check)]


_EDITS = ("asked", "asked crashes", "asked answers")
MUTANTS = (
    Mutant("asked twice", "0161: a key acts once", carried_out_again, _EDITS),
    Mutant(
        "another run", "0161: each try begins the same run", another_run, ("asked crashes",), 91
    ),
    Mutant("found resumed", "0161: what passed is run", found_resumed, ("asked again",), seed=4),
    Mutant("not paid", "0161: a trigger has its own payload", unpaid, ("asked",)),
    Mutant("due at once", "0161: a trigger is due when it says", at_once, ("asked",), seed=5),
    Mutant("left behind", "0161: a resume runs its plan", left_behind, ("asked",), seed=8),
    Mutant("plan of now", "0161: a plan is what it showed", caught_up_to_now, ("asked",), 46),
    Mutant("forgetful patch", "0161: an answer says what is so", forgetful, ("asked",), seed=16),
    Mutant("mislabelled", "0161: a replay is a replay", mislabelled, ("asked",), seed=12),
    Mutant("done at first", "0161: a backfill fills", done_at_first, ("asked",), seed=6),
    Mutant("remembered long", "0161: a revoked key is closed", remembered_long, ("asked keys",)),
    Mutant("unknown long", "0161: a key opens from its answer on", unknown_long, ("asked keys",)),
    Mutant("names shared", "0161: a name is one's", names_shared, ("asked",)),
    Mutant("unlimited", "0161: a rate is kept", unlimited, ("asked bounds",), seed=17),
    Mutant("hoarded", "0161: who is within the rate is let in", hoarded, ("asked bounds",)),
    Mutant("uncounted", "0161: a number of tasks is kept", uncounted, ("asked bounds",), 28),
    Mutant(
        "others left", "0161: a deployment ends the rest", others_left, ("asked bounds",), seed=5
    ),
    Mutant("old due", "0162: a claim is due by the plan", old_due, ("asked shifts",)),
    Mutant("breaks down", "0161: a fault has its cause", breaks_down, ("asked",)),
    Mutant("refused again", "0161: a plan is finished", refused_again, ("asked again",), seed=4),
)
