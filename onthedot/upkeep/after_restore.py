"""Repairs the tables after a restore: what happened after the backup must not happen again.

Ticks and workers stand still meanwhile. Each step can be repeated without harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.keys import SHARDS
from onthedot.records.runs import run_row
from onthedot.records.runs.run_status import OPEN
from onthedot.records.tasks import pause_ends, task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.registry.edit import edit
from onthedot.registry.run_cancel import cancel
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, full_scan, table_reads
from onthedot.upkeep.completed_schedules import list_all


def mended() -> Iterator[tuple[str, str]]:
    """Does all repairs in this order. Yields what was done, and for which run or task.

    The restored list of exhausted schedules may be incomplete, so it is written again, last.
    """
    yield from (("cancelled", run_id) for run_id in end_what_was_open())
    yield from (("goes on", task_id) for task_id in start_from_now())
    yield from (("goes on", task_id) for task_id in mend_pauses())
    yield from (("listed", task_id) for task_id in list_all())


def end_what_was_open() -> Iterator[str]:
    """Cancels runs that were due by now: the restored rows do not know what became of them."""
    for item in full_scan.items(run_row.TABLE):
        run = run_row.readable(item)
        if run and run.life.status in OPEN and run.life.due_ms <= clock.now_ms():
            cancel(run.run_id)
            yield run.run_id


def start_from_now() -> Iterator[str]:
    """Lets every overdue task continue from now. The slots that it leaves behind are recorded.

    Yields each name before the pause, so an interrupted operator knows what is still paused.
    """
    now = nominal(clock.now_ms() // 1000)
    for shard in range(SHARDS):
        overdue = [item for page in table_reads.due_pages(shard, ("0", now)) for item in page]
        for item in overdue:
            yield item["task_id"]
            edit(item["task_id"], _stopped)
            edit(item["task_id"], lifecycle.resumed)


def _stopped(task: Task, now: int) -> Task:
    return lifecycle.paused(task, now, pause_ends.why(now, pause_ends.SYSTEM))


def mend_pauses() -> Iterator[str]:
    """Lets pauses that have ended continue from now, and lists the pauses that are to end yet.

    One table alone may be restored: then the other one knows whether a pause has ended.
    """
    for item in full_scan.items(task_spec.TABLE):
        # Only specs have a status.
        task = task_spec.readable(item) if item.get("status") == "paused" else None
        if task is None:
            continue
        end, now = pause_ends.end_of(task), clock.now_ms() // 1000
        if end is not None and end <= now:
            yield task.task_id
            edit(task.task_id, lifecycle.resumed, as_it_stands=True)
        conditional_writer.surely(pause_ends.to_end(task))
