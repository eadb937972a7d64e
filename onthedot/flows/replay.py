"""Replay: what has an outcome is run again, as a new run; the old one keeps its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.adapters import claims, clock, ids, tables
from onthedot.core import payloads, remarks
from onthedot.core import run as runs
from onthedot.core.keys import is_slot_key, moment_key
from onthedot.core.merge import merged
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows.extra import first_life, launched
from onthedot.flows.known import read
from onthedot.flows.payloads import at_hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Who wants the replay, and what with: None is the payload that the old run had."""

    by: str = "user"
    payload: Any = None
    # What is to be changed in that one (RFC 7396).
    patch: Mapping[str, Any] | None = None
    # A replay that may be asked for again has a key that follows from what it belongs to.
    key: str = ""


def replay(run_id: str, wish: Wish | None = None) -> Run | None:
    """Run it once more; None: it is open, purged, or of a task that is no more."""
    item = tables.get(runs.TABLE, runs.row_key(run_id))
    old = runs.parse(item) if item else None
    known = read(old.task_id) if old else None
    if old is None or known is None or not replayable(old, known.task):
        return None
    wanted = wish or Wish()
    again = _again(old, known.task, wanted.key)
    # Asked for again, it may have been launched by a step that died before it said so.
    there = wanted.key and tables.get(runs.TABLE, runs.row_key(again.run_id))
    begun = runs.parse(there) if there else launched(again, _payload(old, known.task, wanted))
    claims.write_one(remarks.replayed(old, wanted.by, begun.run_id, now_ms=clock.now_ms()))
    return begun


def replayable(old: Run, task: Task) -> bool:
    """Tell whether it can be run again: what was purged has nothing left to be run with."""
    return old.final and not old.purged_ms and not old.range_count and task.status != "deleted"


def payload_of(run: Run, task: Task) -> Any:  # noqa: ANN401 any JSON
    """Give the payload that a run has: its own, that of the run it repeats, or its task's."""
    if not run.payload_ref:
        return at_hand(task.payload)
    item = tables.get(runs.TABLE, {"task_id": run.task_id, "scheduled_for": run.payload_ref})
    return at_hand(payloads.read(item["payload"])) if item else task.payload


def _payload(old: Run, task: Task, wish: Wish) -> Any:  # noqa: ANN401 any JSON
    """Each run keeps its own: the old one's may be purged."""
    if wish.payload is not None or (wish.patch is None and not old.payload_ref):
        return wish.payload
    present = payload_of(old, task)
    if wish.patch is None:
        return present
    return merged(present if isinstance(present, Mapping) else {}, wish.patch)


def _again(old: Run, task: Task, key: str) -> Run:
    now_ms = clock.now_ms()
    return Run(
        task_id=old.task_id,
        key=key or moment_key(now_ms, "r", ids.token(6)),
        tenant_id=old.tenant_id,
        origin="replay",
        queue=task.queue,
        life=first_life(task, now_ms, ids.token()),
        slot=old.key if is_slot_key(old.key) else old.slot,
        replay_of=old.run_id,
    )
