"""Makes the task that a user's write leaves: registered, redefined, paused, resumed, ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from onthedot.records.access.audit_trail import By
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_fields import STAMPS
from onthedot.records.tasks.task_items import HISTORY_SEC, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import definition
from onthedot.schedule.blackouts import Blackout
from onthedot.schedule.time.instants import moment

# Stored beside the fields. It stays when they change.
_BESIDE = ("listed", *STAMPS, "paused", "pause_ended")


def stamped(task: Task, by: By) -> Task:
    """Records who made it and when, and puts it on its tenant's list."""
    at = moment(by.now_ms)
    kind = "s" if task.task_id.startswith("sch_") else "t"
    shown = {
        **task.shown,
        "listed": f"{task.tenant_id}#{kind}",
        "created_at": at,
        "created_by": by.key_id,
        "updated_at": at,
        "updated_by": by.key_id,
    }
    stamped_task = replace(task, shown=shown)
    if task.status != "paused":
        return stamped_task
    now = by.now_ms // 1000
    return paused(replace(stamped_task, status="active"), now, pause_ends.why(now, by.key_id))


def born(task: Task, now: int) -> Task:
    """Counts slots from now on, or from `start_at`. Without any slot it is completed."""
    begun = replace(task, effective_from=task.effective_from or now)
    recurs = task.task_id.startswith("sch_")
    if recurs and begun.status == "active" and first_due(begun) is None:
        return replace(begun, status="completed")
    return begun


def redefined(
    before: Task, now: int, fields: Mapping[str, Any], blackouts: tuple[Blackout, ...] = ()
) -> Task:
    """Gives a schedule other fields. What is stored beside them stays."""
    made = definition.schedule(
        fields, task_id=before.task_id, tenant_id=before.tenant_id, blackouts=blackouts
    )
    kept = {name: before.shown[name] for name in _BESIDE if name in before.shown}
    wanted = replace(
        made,
        status="active" if before.status == "invalid" else before.status,
        version=before.version,
        schedule_version=before.schedule_version,
        effective_from=before.effective_from,
        paused_at=before.paused_at,
        shown={**made.shown, **kept},
    )
    # Another expression is another schedule, and none of its slots are in the past.
    same = (made.compiled, made.blackouts) == (before.compiled, before.blackouts)
    # A task that was set aside continues from now: its cursor is not reliable.
    return wanted if same and before.status != "invalid" else restarted(wanted, now)


def reopened(before: Task, wanted: Task, left: int | None, now: int, *, indexed: bool) -> Task:
    """Lets a task that had fired all its runs continue from now, if an edit gives it more.

    `left` is how many runs the edit leaves, below zero if it has had too many. None: no bound.
    """
    alive = ("active", "completed")
    spent = left is not None and left <= 0
    if spent or before.status not in alive or wanted.status not in alive:
        return wanted
    if not indexed and wanted.max_runs != before.max_runs:
        wanted = restarted(wanted, now)
    restarts = wanted.schedule_version != before.schedule_version
    if wanted.status == "completed" and restarts and first_due(wanted) is not None:
        return replace(wanted, status="active")
    return wanted


def reclosed(task: Task, now: int, blackouts: tuple[Blackout, ...]) -> Task:
    """Gives it what its calendars exclude now. Another blackout is another schedule."""
    if blackouts == task.blackouts:
        return task
    return restarted(replace(task, blackouts=blackouts), now)


def restarted(task: Task, since: int) -> Task:
    """Counts slots from then on. Earlier claims belong to another schedule."""
    return replace(task, schedule_version=task.schedule_version + 1, effective_from=since)


def paused(task: Task, now: int, why: Mapping[str, Any]) -> Task:
    """Stops new starts, and says why. If it is paused already, the latest end counts."""
    if task.status != "paused":
        shown = {**task.shown, "paused": why}
        return replace(task, status="paused", paused_at=now, shown=shown)
    before = task.shown.get("paused", why)
    said = {**why, "at": before["at"], "reason": why["reason"] or before["reason"]}
    alike = all(said[name] == before[name] for name in ("reason", "until"))
    # A pause by the system may end by itself. A person's may not.
    if alike and before["by"] != pause_ends.SYSTEM:
        return task
    return replace(task, shown={**task.shown, "paused": said})


def paused_by(task: Task, now: int, *, key_id: str, reason: str | None, until: int | None) -> Task:
    """Pauses it for a key, with a reason and an end if they are given."""
    return paused(task, now, pause_ends.why(now, key_id, reason, until))


def unchanged(task: Task, _now: int) -> Task:
    """Changes nothing. An edit that does this finishes what an earlier try has begun."""
    return task


def resumed(task: Task, now: int) -> Task:
    """Continues from now. A task that is not paused continues already or has no slot left."""
    if task.status in ("active", "completed"):
        return task
    shown = {name: value for name, value in task.shown.items() if name != "paused"}
    return restarted(replace(task, status="active", shown=shown), now)


def resumed_by_itself(task: Task, at: int) -> Task:
    """Continues from the end of its pause, as if it had been resumed in that second."""
    shown = dict(task.shown)
    why_paused = shown.pop("paused")
    active = replace(task, status="active", shown={**shown, "pause_ended": why_paused["until"]})
    return restarted(active, max(at, task.paused_at, task.effective_from))


def ended(task: Task, now: int) -> Task:
    """Ends it. It leaves every list; its item stays as long as its history."""
    if task.status == "deleted":
        return task
    kept = {name: value for name, value in task.shown.items() if name != "listed"}
    return replace(task, status="deleted", shown=kept | {"expires_at": now + HISTORY_SEC})


def touched(before: Task, after: Task, by: By) -> Task:
    """Records who changed it and when, if anything changed."""
    if before == after:
        return before
    stamps = {"updated_at": moment(by.now_ms), "updated_by": by.key_id}
    return replace(after, shown={**after.shown, **stamps})


def cancelled(task: Task) -> Task:
    return replace(task, status="cancelled")


def moved(task: Task, elsewhere: Task) -> Task:
    """Gives a one-off task the time of another."""
    if task.compiled == elsewhere.compiled:
        return task
    times = {name: elsewhere.shown[name] for name in ("start_at", "expires_at")}
    at_its_time = replace(task, compiled=elsewhere.compiled, shown={**task.shown, **times})
    return restarted(at_its_time, elsewhere.effective_from)
