"""Watches what runs say about their tasks. A schedule that keeps dying is paused and probed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from onthedot.launch.trigger import Moment, trigger
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.pause_ends import SYSTEM
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import definition, lifecycle
from onthedot.registry.edit import edit
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time.instants import moment
from onthedot.store import clock, table_reads, tasks
from onthedot.store.tasks import read
from onthedot.upkeep import failing_task
from onthedot.upkeep.events import cloud_event, notifications
from onthedot.upkeep.events.cloud_event import Event
from onthedot.upkeep.failing_task import Health
from onthedot.upkeep.pauses_due import tell
from onthedot.upkeep.separate_steps import Apart


@dataclass(slots=True)
class Ward:
    """The tasks whose latest run died, as one audit sees them. They are read when first needed."""

    _known: dict[str, Health] | None = None

    def note(self, ended: Sequence[Run]) -> None:
        """Counts deaths in a row, and tells of tasks that work again.

        A run that is noted twice counts once: it leaves its list only after this.
        """
        if not ended:
            return
        known = self._known = failing() if self._known is None else self._known
        happened: list[Event] = []
        changed: dict[str, Health] = {}
        for run in sorted(ended, key=failing_task.moment):
            before = changed.get(run.task_id) or known.get(run.task_id)
            if before is None and run.life.status != Status.DEAD:
                continue
            before = before or Health(task_id=run.task_id)
            after = before.after(run)
            if after == before:
                continue
            changed[run.task_id] = after
            if before.failures and not after.failures:
                happened.append(cloud_event.of_run("recovered", run))
        # Told first: without the record nothing shows that it ever failed.
        notifications.keep(happened)
        limits = _limits(changed.values())
        for health in changed.values():
            _keep(health, known, limits.get(health.task_id))


def _limits(changed: Iterable[Health]) -> dict[str, int | None]:
    """Reads after how many deaths each is paused. An edit counts from the next death on."""
    dying = [health.task_id for health in changed if health.failures and not health.paused_ms]
    found = tasks.of(task_id for task_id in dying if task_id.startswith("sch_"))
    return {task_id: definition.limit(task) for task_id, task in found.items()}


def _keep(health: Health, known: dict[str, Health], most: int | None) -> None:
    """Writes what is to be done before it is done: after a crash the next minute does it."""
    if most and health.failures >= most and not health.paused_ms:
        health = health.paused(clock.now_ms())
    known[health.task_id] = health
    if health.failures or health.paused_ms:
        table_reads.put(failing_task.TABLE, health.item())
    else:
        del known[health.task_id]
        table_reads.delete(failing_task.TABLE, failing_task.key(health.task_id))


def act() -> dict[str, int]:
    """Pauses what never works, resumes what works again, probes what is paused."""
    apart, probed = Apart(), 0
    for health in failing().values():
        # A task that cannot be read waits for an edit that repairs it.
        with apart.each(f"looking after {health.task_id}"), suppress(*UNREADABLE):
            if health.resumed_ms:
                _resume(health)
            elif health.paused_ms and not health.done:
                _pause(health)
            elif health.done:
                probed += _probe(health)
    apart.end()
    return {"probed": probed}


def failing() -> dict[str, Health]:
    """Reads all records. There are never many."""
    items = table_reads.rows(("task_id", failing_task.PARTITION), "scheduled_for", ("0", "~"))
    return {item["scheduled_for"]: failing_task.parse(item) for item in items}


def _pause(health: Health) -> None:
    """Pauses a schedule that recurs and is not paused. A second call changes nothing."""
    reason = f"{health.failures} runs in a row died"
    why = {**pause_ends.why(0, SYSTEM, reason), "at": moment(health.paused_ms)}
    done = None
    if health.task_id.startswith("sch_"):
        done = edit(health.task_id, partial(_paused, why=why))
    if done is not None and _stopped_by_us(done.task):
        tell("paused", done.task, reason, health.paused_ms)
    table_reads.put(failing_task.TABLE, replace(health, done=True).item())


def _paused(task: Task, now: int, *, why: Mapping[str, Any]) -> Task:
    return lifecycle.paused(task, now, why) if task.status == "active" else task


def _resume(health: Health) -> None:
    """Resumes a schedule. The record goes last: after a crash the next minute continues.

    It may have worked again before it was paused, and a person may have resumed it before.
    """
    known = read(health.task_id)
    task = known.task if known else None
    if task is not None and _stopped_by_us(task):
        health = replace(health, resuming=True)
        table_reads.put(failing_task.TABLE, health.item())
        done = edit(health.task_id, lifecycle.resumed)
        task = done.task if done else None
    if task is not None and health.resuming:
        tell("resumed", task, "a probe succeeded", health.resumed_ms)
    table_reads.delete(failing_task.TABLE, failing_task.key(health.task_id))


def _probe(health: Health) -> int:
    """Probes it: one run at a time shows whether the whole schedule may continue."""
    now_ms = clock.now_ms()
    if not health.paused_ms or health.probe_ms > now_ms:
        return 0
    known = read(health.task_id)
    if known is None or not _stopped_by_us(known.task):
        # A person has changed it, so it starts again from zero.
        table_reads.delete(failing_task.TABLE, failing_task.key(health.task_id))
        return 0
    # The run is the same however often this minute is tried.
    trigger(health.task_id, moment=Moment(health.probe_ms, "probe", now_ms))
    table_reads.put(failing_task.TABLE, health.probed(now_ms).item())
    return 1


def _stopped_by_us(task: Task) -> bool:
    why = task.shown.get("paused") or {}
    return task.status == "paused" and why.get("by") == SYSTEM
