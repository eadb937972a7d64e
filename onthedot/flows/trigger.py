"""Trigger: a run without a slot, now; it never moves the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.adapters import clock, ids, tables
from onthedot.core import run as runs
from onthedot.core.keys import is_slot_key, moment_key, payload_key
from onthedot.core.run import Run
from onthedot.core.writes import Outcome
from onthedot.flows.extra import first_life, launch
from onthedot.flows.known import read


def trigger(task_id: str, *, payload: Any = None) -> Run | None:  # noqa: ANN401 any JSON
    """Run a task once, now, with its own payload or another."""
    known = read(task_id)
    if known is None or known.task.status == "deleted":
        return None
    now_ms = clock.now_ms()
    manual = Run(
        task_id=task_id,
        key=moment_key(now_ms, "m", ids.token(6)),
        tenant_id=known.task.tenant_id,
        origin="manual",
        queue=known.task.queue,
        life=first_life(known.task, now_ms, ids.token()),
    )
    return _launched(manual, payload)


def replay(run_id: str, *, payload: Any = None) -> Run | None:  # noqa: ANN401 any JSON
    """Run again what has an outcome, as a new run; the old one keeps its outcome."""
    item = tables.get(runs.TABLE, runs.row_key(run_id))
    old = runs.parse(item) if item else None
    known = read(old.task_id) if old else None
    if old is None or known is None or not old.final or known.task.status == "deleted":
        return None
    now_ms = clock.now_ms()
    again = Run(
        task_id=old.task_id,
        key=moment_key(now_ms, "r", ids.token(6)),
        tenant_id=old.tenant_id,
        origin="replay",
        queue=known.task.queue,
        life=first_life(known.task, now_ms, ids.token()),
        slot=old.key if is_slot_key(old.key) else old.slot,
        replay_of=run_id,
        payload_ref=old.payload_ref,
    )
    return _launched(again, payload)


def _launched(run: Run, payload: object) -> Run:
    """Another payload is put first: a worker that finds the run must find it too."""
    if payload is not None:
        run = replace(run, payload_ref=payload_key(run.key))
        side = {"task_id": run.task_id, "scheduled_for": run.payload_ref, "payload": payload}
        tables.put(runs.TABLE, side)
    if launch([run]) != [Outcome.DONE]:
        raise RuntimeError(f"{run.run_id} was there already")
    return run
