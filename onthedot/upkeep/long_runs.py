"""Compares the longest runs of a minute with their timeout and with their task's past.

It looks at ten in a minute: reading the past of every run would cost as much as running it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.store import table_reads, tasks
from onthedot.upkeep.ledger import duration_ms, percentile

_PAST = 20
_TOO_FEW = 5
_TIMES_LONGER = 2


def look_at(longest: Sequence[Run]) -> dict[str, int]:
    """Returns the largest share of a timeout, and how many took twice their task's usual time."""
    if not longest:
        return {}
    specs = tasks.specs(run.task_id for run in longest)
    shares = [
        duration_ms(run) // (10 * int(specs[run.task_id]["timeout_sec"]))
        for run in longest
        if run.task_id in specs
    ]
    return {
        "timeout_used_percent": max(shares, default=0),
        "unusually_long": sum(_unusual(run) for run in longest),
    }


def _unusual(run: Run) -> bool:
    """Tells whether a run took unusually long. A task with few runs has no usual time."""
    past = sorted(_past_ms(run))
    return len(past) >= _TOO_FEW and duration_ms(run) > _TIMES_LONGER * percentile(past, 95)


def _past_ms(run: Run) -> list[int]:
    before = table_reads.rows(
        ("task_id", run.task_id), "scheduled_for", ("0", run.key), newest_first=True, page=_PAST + 1
    )
    read = [run_row.readable(item) for item in islice(before, 1, _PAST + 1)]
    return [duration_ms(each) for each in read if each and each.life.status == Status.SUCCEEDED]
