"""Launches runs without a slot of their own: they are listed, claimed and sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import payload_key
from onthedot.records.runs import manifest, run_row, run_writes, side_item
from onthedot.records.runs.run_row import Claim, Life, Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.payloads import of_run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, ids, run_messages, stored_runs, table_reads
from onthedot.store.payloads import stored


def first_life(task: Task, due_ms: int, claim_id: str) -> Life:
    """Returns the first life of a run with a due time of its own, apart from any schedule."""
    return Life(
        status=Status.CLAIMED,
        tv=task.version,
        schedule_version=task.schedule_version,
        due_ms=due_ms,
        claim=Claim(by=claim_id),
        claimed_ms=due_ms,
    )


def launch(extra: Sequence[Run]) -> list[Outcome]:
    """Lists, claims and sends runs. The manifest goes first: no tick would send them again."""
    now_ms = clock.now_ms()
    entries = [manifest.entry(run) for run in extra]
    for listing in manifest.listing(ids.token(), entries, now_ms=now_ms):
        table_reads.put(manifest.TABLE, listing.item())
    outcomes = conditional_writer.surely([run_writes.insert(run, now_ms=now_ms) for run in extra])
    outcomes = [
        Outcome.DONE if outcome is Outcome.REFUSED and _ours(run) else outcome
        for run, outcome in zip(extra, outcomes, strict=True)
    ]
    done = [run for run, one in zip(extra, outcomes, strict=True) if one is Outcome.DONE]
    send(done, why="start")
    return outcomes


def launched(run: Run, payload: object, target: Mapping[str, Any] | None = None) -> Run:
    """Launches a run. Its own payload and target go first, so that the worker finds them."""
    if payload is not None or target is not None:
        beside = payload_key(run.key)
        run = replace(
            run,
            payload_ref="" if payload is None else beside,
            target_ref="" if target is None else beside,
        )
        text = None if payload is None else stored(of_run(run.task_id, run.key), payload)
        table_reads.put(run_row.TABLE, side_item.item(run, payload=text, target=target))
    if launch([run]) == [Outcome.DONE]:
        return run
    # Another minute, or another try of the same request, was first.
    there = stored_runs.read(run.run_id)
    if there is None:
        raise BusyError(f"{run.run_id} was there, and is gone")
    return relaunched(there)


def relaunched(earlier: Run) -> Run:
    """Sends a run again that an earlier try of the same request claimed: it may have died."""
    if earlier.life.status == Status.CLAIMED:
        send([earlier], why="start")
    return earlier


def _ours(run: Run) -> bool:
    """Tells whether an existing row is ours: a repeated insert is refused by its own row."""
    seen = stored_runs.readable(run_row.row_key(run.run_id))
    # Two backfills may fill the same slot. The row names the one that made the run.
    if seen is None or seen.backfill_id != run.backfill_id:
        return False
    # A started run no longer has its claim. Another message does no harm.
    return bool(seen.life.attempt) or seen.life.claim == run.life.claim


def send(claimed: Sequence[Run], why: str = "resend") -> None:
    """Sends each run by a message of its own. If that fails, nothing may be acknowledged."""
    if run_messages.send_when_due(claimed, why):
        raise BusyError("SQS did not take a message; nothing was acknowledged")
