"""Writes lists for the audit: what may be claimed, what was missed, what is exhausted."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.records.conditional_writes import Outcome, Update
from onthedot.records.runs import manifest
from onthedot.records.runs.manifest import Manifest
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import exhausted_schedules, task_cursor
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.store.conditional_writer import Over


def write_lists(manifests: Sequence[Manifest]) -> None:
    """Puts each manifest into the minute in which the audit must look at it."""
    for each in manifests:
        table_reads.put(manifest.TABLE, each.item())


def list_the_missed(records: Sequence[Run], *, by: str, now_ms: int) -> None:
    """Lists missed runs that users must be told of. On an ordinary day there are none."""
    missed = [record for record in records if record.life.status == "missed"]
    if missed:
        entries = [manifest.entry(record) for record in missed]
        write_lists(manifest.listing(by, entries, now_ms=now_ms))


def list_the_exhausted(cursors: Sequence[Update], over: Over | None = None) -> list[Update]:
    """Lists schedules before their cursors leave the index: later nothing would find them.

    Returns the cursors whose schedules could not be listed. They wait for the next tick.
    """
    leaving = [write for write in cursors if task_cursor.leaves(write)]
    if not leaving:
        return []
    lines = exhausted_schedules.lines(leaving, clock.now_ms() // 1000)
    outcomes = (
        conditional_writer.write(lines, over) if over else conditional_writer.write_many(lines)
    )
    listed = zip(leaving, outcomes, strict=True)
    return [write for write, outcome in listed if outcome is Outcome.UNSURE]
