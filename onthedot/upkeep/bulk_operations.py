"""Runs bulk operations: begins them, moves them on minute by minute, stops and reads them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf

from onthedot.launch import backfill_flow
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import item_key
from onthedot.records.tasks import bulk_operation
from onthedot.records.tasks.bulk_operation import RUNNING, TABLE, Loop
from onthedot.registry import calendar_edits
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.store.conditional_writer import Decision
from onthedot.upkeep import dead_letters
from onthedot.upkeep.separate_steps import Apart

_TRIES = 8
_STEPS = {
    "backfill": backfill_flow.step,
    "replay": dead_letters.replay_step,
    "purge": dead_letters.purge_step,
    "calendar": calendar_edits.step,
}
FIGURES = {
    "backfill": "backfilled",
    "replay": "replayed",
    "purge": "purged",
    "calendar": "recomputed",
}


def begin(loop: Loop) -> bool:
    """Begins it. The next minute makes its first step. False: it has begun before."""
    return conditional_writer.write_together(bulk_operation.begin(loop)) is Outcome.DONE


def read(kind: str, tenant_id: str, loop_id: str) -> Loop | None:
    key = item_key(bulk_operation.partition(kind, tenant_id), loop_id)
    item = table_reads.get(TABLE, key)
    return bulk_operation.parse(item) if item else None


def stop(kind: str, tenant_id: str, loop_id: str) -> Loop | None:
    """Stops it. Runs that are under way go on."""
    seen = conditional_writer.compare_and_set(
        read=lambda: read(kind, tenant_id, loop_id), decide=_stopped, tries=_TRIES, what=loop_id
    )
    if seen is None or not seen.running:
        return seen
    table_reads.delete(TABLE, bulk_operation.pointer_key(loop_id))
    return read(kind, tenant_id, loop_id)


def _stopped(seen: Loop | None) -> Decision[Loop | None]:
    """Stops a running one. The result is as it was seen."""
    if seen is None or not seen.running:
        return Decision(seen)
    stopped = replace(seen, status="cancelled", ended_ms=clock.now_ms())
    return Decision(seen, bulk_operation.moved(seen, stopped))


def step(work_sec: float = inf) -> Counter[str]:
    """Moves all running ones on by a minute's worth. Returns the number of runs by kind.

    Those that it does not reach within `work_sec` wait for the next minute.
    """
    done, apart = Counter[str](), Apart()
    over = clock.monotonic() + work_sec
    for pointer in _in_turn(
        list(table_reads.rows(("task_id", RUNNING), "scheduled_for", ("0", "~")))
    ):
        if clock.monotonic() > over:
            done["loops_put_off"] += 1
            continue
        with apart.each(f"a step of {pointer['scheduled_for']}"):
            done += _step(pointer)
    apart.end()
    return done


def _step(pointer: table_reads.Item) -> Counter[str]:
    item = table_reads.get(TABLE, item_key(pointer["of"], pointer["scheduled_for"]))
    seen = bulk_operation.parse(item) if item else None
    if seen is None or not seen.running:
        # A step died between the end and this line.
        table_reads.delete(TABLE, bulk_operation.pointer_key(pointer["scheduled_for"]))
        return Counter()
    return Counter({FIGURES[seen.kind]: advance(seen)})


def _in_turn(pointers: list[table_reads.Item]) -> list[table_reads.Item]:
    """Begins with another one each minute, so that one that was put off comes first some time."""
    first = clock.now_ms() // 60_000 % max(1, len(pointers))
    return [*pointers[first:], *pointers[:first]]


def advance(seen: Loop) -> int:
    """Moves one on by what its minute allows. Returns the number of runs or tasks."""
    after = _STEPS[seen.kind](seen)
    # Two may try at once. Only the one that moved it counts.
    return after.done_since(seen) if after == seen or _moved(seen, after) else 0


def _moved(seen: Loop, after: Loop) -> bool:
    if conditional_writer.write_one(bulk_operation.moved(seen, after)) is not Outcome.DONE:
        return False
    if not after.running:
        table_reads.delete(TABLE, bulk_operation.pointer_key(after.loop_id))
    return True
