"""Gives runs a place among those that share a concurrency key, then a turn at its rate.

Every run takes the task's own gate first, then this one, so waits cannot form a cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import overlap_gate, run_row, run_writes
from onthedot.records.runs.message_pack import of_run
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, Wait
from onthedot.records.runs.run_row import Run
from onthedot.records.timings import BUSY_MAX_SEC
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, queue, table_reads
from onthedot.store.patience import Forgiven
from onthedot.targets.attempt_outcome import Dead
from onthedot.targets.call import run_fields
from onthedot.work import target_call
from onthedot.work.batch import Batch
from onthedot.work.gates import concurrency_key
from onthedot.work.gates.concurrency_key import Limit
from onthedot.work.job import Job

_TRIES = 16
_CROWDED_SEC = 60
# Milliseconds that a run is held until its turn. For a longer wait its message comes back.
_HELD_MS = 1_000


def enter(batch: Batch, jobs: Sequence[Job]) -> list[Job]:
    """Returns the jobs that have a place. The others wait in line."""
    return [job for job in jobs if _enters(batch, job)]


def _enters(batch: Batch, job: Job) -> bool:
    limit = _limit(job, "max_running")
    if limit is None:
        return True
    if job.held.life.key_gate not in ("", limit.place):
        # An edit gave it another key. In the old key's line it would block others.
        leave(job.held)
    if not _has_place(batch, job, limit):
        return False
    job.run = replace(job.held, life=replace(job.held.life, key_gate=limit.place))
    # The prepared start does not name the place.
    job.ready = None
    return True


def turns(batch: Batch, jobs: Sequence[Job]) -> list[Job]:
    """Returns the jobs whose turn it is. This comes last, because an unused turn is lost."""
    return [job for job in jobs if _may_go(batch, job)]


def _may_go(batch: Batch, job: Job) -> bool:
    limit = _limit(job, "rate")
    return limit is None or _has_turn(batch, job, limit)


def _limit(job: Job, kind: str) -> Limit | None:
    """Returns the limit of the task's key. Most tasks have none, and cost no read here."""
    wanted = job.task.shown.get("concurrency_key") if job.task else None
    if job.task is None or not wanted or not wanted.get(kind):
        return None
    call = target_call.call_of(job, job.held, job.task)
    # If the payload is gone or too large, the key is filled without it. The call reports it.
    whole = target_call.complete(call)
    payload = call.payload if isinstance(whole, Dead) else whole.payload
    return concurrency_key.limit_of(job.task, run_fields(call) | {"payload": payload})


def _has_place(batch: Batch, job: Job, limit: Limit) -> bool:
    run_id = job.held.run_id
    for _ in range(_TRIES):
        seen = _read(limit.place)
        rows = _rows((*seen.holders, *seen.waiting))
        over = [name for name, row in rows.items() if row is None or row.final]
        order = {name: row.life.due_ms for name, row in rows.items() if row}
        order |= {run_id: job.held.life.due_ms}
        known = seen.without([name for name in over if name != run_id])
        entry = concurrency_key.enter(known, run_id, limit.most, order)
        match entry:
            case Have():
                return True
            case Enter(wanted):
                if _written(seen, wanted):
                    return True
            case Wait(wanted):
                if not _names(job, limit.place):
                    return False
                if wanted == seen or _written(seen, wanted):
                    _wake_if_free(wanted, rows, limit.most, run_id)
                    batch.done([run_id])
                    return False
            case None:
                if _names(job, limit.place):
                    _come_back(batch, job, _CROWDED_SEC)
                return False
    # Its message comes back. Later the gate is less crowded.
    return False


def _names(job: Job, place: str) -> bool:
    """Writes on the row where it waits, for lists and cancels. False: the row has changed.

    Then its message comes back.
    """
    life = replace(job.held.life, key_gate=place)
    if life == job.held.life:
        return True
    write = run_writes.mark(job.held, life, now_ms=clock.now_ms())
    if conditional_writer.write_one(write) is not Outcome.DONE:
        return False
    job.run = replace(job.held, life=life)
    return True


def _has_turn(batch: Batch, job: Job, limit: Limit) -> bool:
    """Takes the turn if it has come. An unused turn wastes one start."""
    now_ms = clock.now_ms()
    at_ms = job.held.life.gate_ms
    if at_ms <= now_ms:
        at_ms = _turn(job, limit, now_ms)
    if 0 < at_ms <= now_ms:
        return True
    if at_ms - now_ms > _HELD_MS:
        _come_back(batch, job, min(BUSY_MAX_SEC, (at_ms - now_ms) // 1000))
    elif at_ms:
        # Messages come by the second: a late one would leave a part of each second unused.
        job.wake_ms, job.loaded = at_ms, False
    return False


def _come_back(batch: Batch, job: Job, seconds: int) -> None:
    """Sends a new message. The old one goes only when SQS has taken the new one (L2)."""
    if not queue.send([(of_run(job.held, "hop"), seconds)]):
        batch.done([job.held.run_id])


def _turn(job: Job, limit: Limit, now_ms: int) -> int:
    """Returns when it may start. Zero if too many ask at once: then its message comes back."""
    life = job.held.life
    for _ in range(_TRIES):
        seen = concurrency_key.starts(
            limit.place,
            table_reads.get(concurrency_key.TABLE, concurrency_key.rate_key(limit.place)),
        )
        if life.gate_ms:
            booked_ms = life.gate_ms - life.gate_behind_ms
            wanted, at_ms = seen.take(limit, booked_ms, now_ms)
        else:
            wanted, at_ms = seen.booked(limit, now_ms)
            booked_ms = wanted.at_ms[-1]
        if wanted != seen and conditional_writer.write_one(seen.write(wanted)) is not Outcome.DONE:
            continue
        if at_ms > now_ms and not life.gate_ms:
            # It holds no permit until then.
            life = replace(life, gate_ms=at_ms, gate_behind_ms=wanted.behind_ms, permit="")
            if (
                conditional_writer.write_one(run_writes.mark(job.held, life, now_ms=now_ms))
                is not Outcome.DONE
            ):
                return 0
            job.run = replace(job.held, life=life)
        job.turn = (limit.place, booked_ms, at_ms)
        return at_ms
    return 0


def begun(jobs: Iterable[Job]) -> None:
    """Records starts that a busy store made late, so that the rate holds for the next ones.

    The next turn is at least a second away.
    """
    now_ms = clock.now_ms()
    late: dict[str, list[int]] = defaultdict(list)
    for job in jobs:
        if job.turn and now_ms - job.turn[2] > concurrency_key.PROMPT_MS:
            place, booked_ms, _ = job.turn
            late[place].append(booked_ms)
    for place, booked in late.items():
        with Forgiven():
            _put_off(place, booked, now_ms)


def _put_off(place: str, booked_ms: Sequence[int], now_ms: int) -> None:
    for _ in range(_TRIES):
        seen = concurrency_key.starts(
            place, table_reads.get(concurrency_key.TABLE, concurrency_key.rate_key(place))
        )
        wanted = seen.begun(booked_ms, now_ms)
        if wanted == seen or conditional_writer.write_one(seen.write(wanted)) is Outcome.DONE:
            return


def leave(run: Run) -> None:
    """Gives the place up after a final outcome. The first in line is woken before that."""
    place = run.life.key_gate
    for _ in range(_TRIES if place else 0):
        seen = _read(place)
        if run.run_id not in (*seen.holders, *seen.waiting):
            return
        wanted = seen.without([run.run_id])
        rows = _rows(wanted.waiting)
        _wake(next((row for row in rows.values() if row and not row.final), None))
        if _written(seen, wanted):
            return
    if place:
        # The message must come back: a place that is not given up would keep others waiting.
        raise BusyError(f"the gate of {place} kept changing under {_TRIES} attempts")


def _wake_if_free(gate: Gate, rows: dict[str, Run | None], most: int, mine: str) -> None:
    """Wakes the first in line if a place is free and another run is first."""
    first = next(iter(gate.waiting), mine)
    if first != mine and len(gate.holders) < most:
        _wake(rows.get(first))


def _wake(run: Run | None) -> None:
    if run is not None and queue.send([(of_run(run, "wake"), 0)]):
        raise BusyError(f"SQS did not take the message that wakes {run.run_id}")


def _read(place: str) -> Gate:
    return overlap_gate.parse(
        place, table_reads.get(concurrency_key.TABLE, concurrency_key.gate_key(place))
    )


def _written(seen: Gate, wanted: Gate) -> bool:
    return conditional_writer.write_one(overlap_gate.write(seen, wanted)) is Outcome.DONE


def _rows(run_ids: Iterable[str]) -> dict[str, Run | None]:
    """Reads rows. A run that this version cannot read holds no place: we could never end it."""
    rows: dict[str, Run | None] = dict.fromkeys(run_ids)
    if not rows:
        return rows
    keys = [run_row.row_key(run_id) for run_id in rows]
    found = [
        run_row.readable(item)
        for item in table_reads.get_many({run_row.TABLE: keys})[run_row.TABLE]
    ]
    return rows | {run.run_id: run for run in found if run}
