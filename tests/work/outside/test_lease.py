"""Lease: as many runs as a worker asks for, and no more reads of the index than are needed."""

from __future__ import annotations

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import pull
from onthedot.work.gates import tenant_line
from onthedot.work.outside import lease
from onthedot.work.outside.lease import Leased
from tests.simulation.calm import FREE, add, runs, said, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user

PULLED = {"type": "pull", "queue": "gpu"}


def asked(stage: Stage, most: int) -> tuple[list[Leased], int]:
    """Returns what a worker is given, and how often the index was read for it."""
    process = stage.world.spawn(
        "said",
        lambda: lease.take("gpu", tenant_id="acme", most=most, worker="w", lease_sec=30),
    )
    wait(stage, stage.world.now_us / 1_000_000 + 2)
    assert process.error is None
    reads = [each for each in stage.world.trace if each[1] is process and each[2] == "query"]
    return process.result, len(reads)


@pytest.mark.parametrize(("open_runs", "most", "given"), [(5, 2, 2), (3, 3, 3), (2, 4, 2)])
def test_who_is_given_all_that_it_wants_or_all_there_is_has_the_index_read_once(
    stage: Stage, open_runs: int, most: int, given: int
) -> None:
    task = add(stage, "0 0 1 1 *", target=PULLED)
    for _ in range(open_runs):
        trigger(task.task_id)

    leased, reads = asked(stage, most)

    assert len(leased) == given
    assert reads <= len(pull.ranges(0))
    assert [said(run) for run in runs(stage, task)].count("running") == given


def test_what_waits_at_a_gate_hides_nothing_behind_it_and_nothing_is_given_twice(
    stage: Stage,
) -> None:
    gated = add(stage, "0 0 1 1 *", name="gated", target=PULLED, overlap="queue", queue_max=50)
    for _ in range(40):
        trigger(gated.task_id)
    free = add(stage, "0 0 1 1 *", name="free", target=PULLED, **FREE)
    wait(stage, 1)
    trigger(free.task_id)

    leased, _ = asked(stage, 5)

    assert sorted(each.task.name for each in leased) == ["free", "gated"]
    assert [each.call.attempt for each in leased] == [1, 1]
    assert asked(stage, 5)[0] == []


def test_a_run_whose_task_was_deleted_ends_where_it_is_asked_for(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *", target=PULLED)
    trigger(task.task_id)
    user.delete(task.task_id)

    assert asked(stage, 5)[0] == []
    assert [said(run) for run in runs(stage, task)] == ["cancelled(task_deleted)"]


def test_who_asks_while_all_permits_are_taken_is_told_so_by_its_first_try(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *", target=PULLED, **FREE)
    for _ in range(20):
        trigger(task.task_id)
    tenant_line.set_limit("acme", 1)
    assert len(asked(stage, 2)[0]) == 1

    leased, _ = asked(stage, 2)

    assert leased == []
    tried = [each[2] for each in stage.world.trace if each[1] and each[1].name.startswith("said")]
    assert tried.count("batch_get_item") <= 12
