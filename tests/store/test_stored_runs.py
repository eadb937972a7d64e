"""Rows and specs are read by their keys; what cannot be read is left out or raises, as asked."""

from __future__ import annotations

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.schedule.schedule import UNREADABLE
from onthedot.store import aws, stored_runs, table_reads, tasks
from tests.simulation.calm import add, put_run, spoil
from tests.simulation.stage import Stage


def triggered(stage: Stage) -> Run:
    run = trigger(add(stage, "0 0 1 1 *").task_id)
    assert run is not None
    return run


def of_a_later_release(run: Run, stage: Stage) -> None:
    """Leaves a row without the parts that this version needs."""
    key = run_row.row_key(run.run_id)
    kept = table_reads.get(run_row.TABLE, key)
    assert kept is not None
    put_run(stage, {name: kept[name] for name in kept if name != "life"})


def test_rows_are_found_by_their_keys_and_by_their_ids(stage: Stage) -> None:
    run = triggered(stage)
    missing = {"task_id": run.task_id, "scheduled_for": "2026-01-01T00:00:00Z"}

    found = stored_runs.of([run_row.row_key(run.run_id), missing])

    assert [each.run_id for each in found.values()] == [run.run_id]
    assert found.keys() == {(run.task_id, run.key)}
    assert stored_runs.named([run.run_id]).keys() == {run.run_id}
    assert stored_runs.readable(missing) is None
    assert stored_runs.read(f"{run.task_id}.20260101T000000Z") is None


def test_a_row_that_this_version_cannot_read_blocks_no_other(stage: Stage) -> None:
    broken, whole = triggered(stage), triggered(stage)
    of_a_later_release(broken, stage)

    assert stored_runs.named([broken.run_id, whole.run_id]).keys() == {whole.run_id}
    assert stored_runs.readable(run_row.row_key(broken.run_id)) is None


def test_a_run_that_must_be_readable_is_no_missing_one(stage: Stage) -> None:
    broken = triggered(stage)
    of_a_later_release(broken, stage)

    with pytest.raises(UNREADABLE):
        stored_runs.read(broken.run_id)


def test_reading_nothing_makes_no_call(stage: Stage) -> None:
    assert stage.world
    with aws.allowing(0):
        assert stored_runs.of([]) == {}
        assert tasks.specs([]) == {}


def test_a_task_that_this_version_cannot_read_still_has_its_spec(stage: Stage) -> None:
    broken, whole = add(stage, "0 0 1 1 *", name="broken"), add(stage, "0 0 1 1 *", name="whole")
    spoil(stage, broken, "spec", payload="{")
    # A task that is named twice is read once: the store refuses a key that comes twice.
    ids = [broken.task_id, whole.task_id, whole.task_id, "sch_gone"]

    assert tasks.specs(ids).keys() == {broken.task_id, whole.task_id}
    assert tasks.of(ids).keys() == {whole.task_id}
    assert tasks.readable(broken.task_id) is None
    assert tasks.readable("sch_gone") is None
