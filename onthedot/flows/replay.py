"""Replay: what has an outcome is run again, as a new run; the old one keeps its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.adapters import claims, clock, ids, tables
from onthedot.core import payloads, remarks
from onthedot.core import run as runs
from onthedot.core.keys import is_slot_key, moment_key
from onthedot.core.merge import merged
from onthedot.core.run import Run
from onthedot.core.task import ENDED, Task
from onthedot.flows.extra import first_life, launched, relaunched
from onthedot.flows.known import read
from onthedot.flows.payloads import at_hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Who wants the replay, and what with: None is the payload that the old run had.

    Each run keeps a payload of its own: the old one's may be purged.
    """

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
    payload = wanted.payload
    if payload is None and (wanted.patch is not None or old.payload_ref):
        payload = patched(payload_of(old, known.task), wanted.patch)
    return again(old, known.task, replace(wanted, payload=payload))


def again(old: Run, task: Task, wish: Wish) -> Run:
    """Run again what was read and may be: with its task's payload, or with that of the wish."""
    made = _made(old, task, wish.key)
    # Asked for again, it may have been launched by a step that died before it said so.
    there = wish.key and tables.get(runs.TABLE, runs.row_key(made.run_id))
    begun = relaunched(runs.parse(there)) if there else launched(made, wish.payload)
    claims.write_one(remarks.replayed(old, wish.by, begun.run_id, now_ms=clock.now_ms()))
    return begun


def replayable(old: Run, task: Task) -> bool:
    """Tell whether it can be run again: what was purged has nothing left to be run with."""
    return old.final and not old.purged_ms and not old.is_range and task.status not in ENDED


def payload_of(run: Run, task: Task) -> Any:  # noqa: ANN401 any JSON
    """Give the payload that a run has: its own, that of the run it repeats, or its task's."""
    if not run.payload_ref:
        return at_hand(task.payload)
    item = tables.get(runs.TABLE, {"task_id": run.task_id, "scheduled_for": run.payload_ref})
    return at_hand(payloads.read(item["payload"])) if item else task.payload


def patched(present: Any, patch: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 any JSON
    """Give a payload with what is to be changed in it."""
    if patch is None:
        return present
    return merged(present if isinstance(present, Mapping) else {}, patch)


def _made(old: Run, task: Task, key: str) -> Run:
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
