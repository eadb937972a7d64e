"""Reads the rows of runs by their keys: the only place that turns such reads into runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.store import table_reads


def of(keys: Iterable[Mapping[str, str]]) -> dict[tuple[str, str], Run]:
    """Reads many rows, a hundred in a call, by task and sort key.

    Rows that are missing, or that this version cannot read, are left out.
    """
    found = table_reads.get_all(run_row.TABLE, keys)
    runs = [run for item in found if (run := run_row.readable(item))]
    return {(run.task_id, run.key): run for run in runs}


def named(run_ids: Iterable[str]) -> dict[str, Run]:
    """Reads many runs by the ids that users see."""
    found = of([run_row.row_key(run_id) for run_id in run_ids])
    return {run.run_id: run for run in found.values()}


def readable(key: Mapping[str, str]) -> Run | None:
    """Reads a row. None: it is missing, or this version cannot read it."""
    item = table_reads.get(run_row.TABLE, key)
    return run_row.readable(item) if item else None


def read(run_id: str) -> Run | None:
    """Reads a run that must be readable: otherwise it raises. None: it is missing."""
    item = table_reads.get(run_row.TABLE, run_row.row_key(run_id))
    return run_row.parse(item) if item else None
