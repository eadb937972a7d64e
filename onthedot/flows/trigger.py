"""Trigger: a run without a slot, now; it never moves the cursor."""

from __future__ import annotations

from onthedot.adapters import claims, clock, ids, tables
from onthedot.core import manifest, moves
from onthedot.core.keys import moment_key
from onthedot.core.run import Life, Run
from onthedot.core.writes import Outcome
from onthedot.flows.govern import send
from onthedot.flows.known import read


def trigger(task_id: str) -> Run | None:
    """Run a task once, now: no slot, its own key; it never moves the cursor."""
    known = read(task_id)
    if known is None:
        return None
    now_ms = clock.now_ms()
    task = known.task
    manual = Run(
        task_id=task_id,
        key=moment_key(now_ms, "m", ids.token(6)),
        tenant_id=task.tenant_id,
        origin="manual",
        queue=task.queue,
        life=Life(
            status="claimed",
            tv=task.version,
            schedule_version=task.schedule_version,
            due_ms=now_ms,
            claim_id=ids.token(),
            claimed_ms=now_ms,
        ),
    )
    listed = manifest.listing(
        manual.life.claim_id,
        [(manual.run_id, task.version)],
        now_ms=now_ms,
        latest_ms=now_ms,
    )
    for each in listed:
        tables.put(manifest.TABLE, each.item())
    if claims.write_one(moves.insert(manual, now_ms=now_ms)) is not Outcome.DONE:
        raise RuntimeError(f"{manual.run_id} was there already")
    send([manual])
    return manual
