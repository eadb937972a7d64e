"""Runs besides the slots' own: listed, claimed by a key of their own, and sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from onthedot.adapters import clock, ids, queue, tables
from onthedot.core import manifest, moves, pack, side_item
from onthedot.core import run as runs
from onthedot.core.errors import BusyError
from onthedot.core.keys import payload_key
from onthedot.core.pack import Pack, Ticket
from onthedot.core.payloads import of_run
from onthedot.core.run import Life, Run
from onthedot.core.task import Task
from onthedot.core.writes import Outcome
from onthedot.flows import listed, patience
from onthedot.flows.payloads import stored


def first_life(task: Task, due_ms: int, claim_id: str) -> Life:
    """Begin a run that is due at once, whatever its task's schedule says."""
    return Life(
        status="claimed",
        tv=task.version,
        schedule_version=task.schedule_version,
        due_ms=due_ms,
        claim_id=claim_id,
        claimed_ms=due_ms,
    )


def launch(extra: Sequence[Run]) -> list[Outcome]:
    """List, claim, send; nobody else ever would, so the manifest goes first."""
    now_ms = clock.now_ms()
    entries = [manifest.entry(run) for run in extra]
    listed.write(manifest.listing(ids.token(), entries, now_ms=now_ms))
    outcomes = patience.surely([moves.insert(run, now_ms=now_ms) for run in extra])
    outcomes = [
        Outcome.DONE if outcome is Outcome.REFUSED and _ours(run) else outcome
        for run, outcome in zip(extra, outcomes, strict=True)
    ]
    done = [run for run, one in zip(extra, outcomes, strict=True) if one is Outcome.DONE]
    send(done, why="start")
    return outcomes


def launched(run: Run, payload: object, target: Mapping[str, Any] | None = None) -> Run:
    """Launches one; what is its own is put first, for the worker that finds the run."""
    if payload is not None or target is not None:
        beside = payload_key(run.key)
        run = replace(
            run,
            payload_ref="" if payload is None else beside,
            target_ref="" if target is None else beside,
        )
        text = None if payload is None else stored(of_run(run.task_id, run.key), payload)
        tables.put(runs.TABLE, side_item.item(run, payload=text, target=target))
    if launch([run]) == [Outcome.DONE]:
        return run
    # Another minute, or another try of the same request, was first.
    there = tables.get(runs.TABLE, runs.row_key(run.run_id))
    if there is None:
        raise BusyError(f"{run.run_id} was there, and is gone")
    return relaunched(runs.parse(there))


def relaunched(earlier: Run) -> Run:
    """Send the run of an earlier try of the same request again, which may have died before it."""
    if earlier.life.status == "claimed":
        send([earlier], why="start")
    return earlier


def _ours(run: Run) -> bool:
    """An insert whose answer was lost, and that was made again, is refused by itself."""
    item = tables.get(runs.TABLE, runs.row_key(run.run_id))
    seen = runs.readable(item) if item else None
    # Two backfills may fill the same slot; the row always names the one that made the run.
    if seen is None or seen.backfill_id != run.backfill_id:
        return False
    # Once started, it does not say any more who claimed it; another message is harmless.
    return bool(seen.life.attempt) or seen.life.claim_id == run.life.claim_id


def send(claimed: Sequence[Run], why: str = "resend") -> None:
    """Send each run by a message of its own; unanswered, nothing may be acknowledged."""
    now_ms = clock.now_ms()
    packs = [
        Pack(
            due_ms=run.life.due_ms,
            why=why,
            tickets=(Ticket(run.run_id, run.life.attempt + 1, run.life.tv),),
            tenant_id=run.tenant_id,
            queue=run.queue,
        )
        for run in claimed
    ]
    if queue.send([(each, pack.delay_sec(each.due_ms, now_ms)) for each in packs]):
        raise BusyError("SQS did not take a message; nothing was acknowledged")
