"""Health: what a minute's runs say of their tasks; what keeps dying is paused, and probed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from onthedot.adapters import clock, tables
from onthedot.core import events, lifecycle, pauses
from onthedot.core import health as healths
from onthedot.core.events import Event
from onthedot.core.health import PAUSE_AFTER, Health
from onthedot.core.moments import moment
from onthedot.core.pauses import SYSTEM
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows import events as telling
from onthedot.flows.change import change, resumed_by_itself
from onthedot.flows.known import read
from onthedot.flows.pauses import tell
from onthedot.flows.trigger import trigger


def look_at(ended: Sequence[Run]) -> dict[str, int]:
    """Count what died in a row, tell of it, pause what never works, try what is paused again."""
    failing = _failing()
    happened: list[Event] = []
    changed: dict[str, Health] = {}
    for run in sorted(ended, key=healths.moment):
        before = changed.get(run.task_id) or failing.get(run.task_id)
        if before is None and run.life.status != "dead":
            continue
        before = before or Health(task_id=run.task_id)
        after = before.after(run)
        if after != before and before.failures and not after.failures:
            happened.append(events.of_run("recovered", run))
        changed[run.task_id] = after
    known = failing | {health.task_id: _kept(health) for health in changed.values()}
    for health in known.values():
        if health.paused_ms and not health.done:
            _pause(health)
    probed = _probe(health for task_id, health in failing.items() if task_id not in changed)
    telling.keep(happened)
    return {"probed": probed, **telling.tell()}


def _failing() -> dict[str, Health]:
    items = tables.rows(("task_id", healths.PARTITION), "scheduled_for", ("0", "~"))
    return {item["scheduled_for"]: healths.parse(item) for item in items}


def _kept(health: Health) -> Health:
    """Write the record first: what it says is to be done, the next minute does if this one dies."""
    now_ms = clock.now_ms()
    if not health.failures:
        if health.paused_ms:
            _resume(health, now_ms)
        tables.delete(healths.TABLE, healths.key(health.task_id))
        return Health(task_id=health.task_id)
    if health.failures >= PAUSE_AFTER and not health.paused_ms:
        health = health.paused(now_ms)
    tables.put(healths.TABLE, health.item())
    return health


def _pause(health: Health) -> None:
    """Only what recurs can be stopped, and only what nobody has stopped before; once is enough."""
    reason = f"{health.failures} runs in a row died"
    why = {**pauses.why(0, SYSTEM, reason), "at": moment(health.paused_ms)}
    task = None
    if health.task_id.startswith("sch_"):
        task = change(
            health.task_id,
            lambda task, now: lifecycle.paused(task, now, why) if task.status == "active" else task,
        )
    if task is not None and _stopped_by_us(task):
        tell("paused", task, reason, health.paused_ms)
    tables.put(healths.TABLE, replace(health, done=True).item())


def _resume(health: Health, now_ms: int) -> None:
    known = read(health.task_id)
    if known is None or not _stopped_by_us(known.task):
        return
    task = change(health.task_id, lifecycle.resumed, resumed_by_itself)
    if task is not None:
        tell("resumed", task, "a probe succeeded", now_ms)


def _probe(paused: Iterable[Health]) -> int:
    """Half open: one run at a time says whether the whole schedule may go on."""
    now_ms = clock.now_ms()
    probed = 0
    for health in paused:
        if not health.paused_ms or health.probe_ms > now_ms:
            continue
        known = read(health.task_id)
        if known is None or not _stopped_by_us(known.task):
            # Somebody has taken it in hand: it starts afresh.
            tables.delete(healths.TABLE, healths.key(health.task_id))
            continue
        tables.put(healths.TABLE, health.probed(now_ms).item())
        trigger(health.task_id)
        probed += 1
    return probed


def _stopped_by_us(task: Task) -> bool:
    why = task.shown.get("paused") or {}
    return task.status == "paused" and why.get("by") == SYSTEM
