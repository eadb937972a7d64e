"""Loops share the minute: each is first in its turn, and none waits for ever."""

from __future__ import annotations

import pytest

from onthedot.launch.backfill import Backfill, loop
from onthedot.records.conditional_writes import Outcome
from onthedot.records.tasks.bulk_operation import Loop, Named, moved
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import conditional_writer, table_reads
from onthedot.upkeep import bulk_operations
from tests.simulation.calm import NOON, add, put_run
from tests.simulation.stage import Stage

NAMES = ("bkf_a", "bkf_b", "bkf_c")


def _asked_for(stage: Stage) -> list[str]:
    """Returns which loops one minute's step looks at, in order."""
    before = len(stage.world.trace)
    stage.world.spawn("step", bulk_operations.step)
    stage.world.run(stage.world.now_us / 1_000_000 + 30)
    keys = [
        entry[3].get("Key", {}).get("scheduled_for", {}).get("S")
        for entry in stage.world.trace[before:]
        if entry[2] == "get_item"
    ]
    return [key for key in keys if key in NAMES]


@pytest.mark.parametrize(
    ("minute", "order"),
    [(0, "abc"), (1, "bca"), (2, "cab"), (3, "abc")],
)
def test_each_minute_begins_with_another_loop(stage: Stage, minute: int, order: str) -> None:
    # 12:00 is the minute 29,916,720 of the epoch, which three divides.
    assert NOON // 60 % len(NAMES) == 0
    task = add(stage, "*/10 * * * *")
    wanted = Backfill(task_id=task.task_id, first=NOON - 3_600, last=NOON)
    stage.world.run(minute * 60 + 1)
    for name in NAMES:
        named = Named(loop_id=name, tenant_id="acme", by="key_1", began_ms=NOON * 1000)
        assert bulk_operations.begin(loop(wanted, named, per_minute=1))

    assert _asked_for(stage) == [f"bkf_{letter}" for letter in order]


def test_without_a_loop_a_minute_has_nothing_to_do(stage: Stage) -> None:
    assert bulk_operations.step() == {}
    assert list(table_reads.rows(("task_id", "loops#running"), "scheduled_for", ("0", "~"))) == []
    assert stage.world.trace == []


def test_a_stop_of_a_loop_that_keeps_moving_is_to_be_asked_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = add(stage, "*/10 * * * *")
    wanted = Backfill(task_id=task.task_id, first=NOON - 3_600, last=NOON)
    named = Named(loop_id="bkf_a", tenant_id="acme", by="key_1", began_ms=NOON * 1000)
    assert bulk_operations.begin(loop(wanted, named, per_minute=1))
    read = bulk_operations.read

    def moving(kind: str, tenant_id: str, loop_id: str) -> Loop | None:
        seen = read(kind, tenant_id, loop_id)
        assert seen is not None
        assert conditional_writer.write_one(moved(seen, seen)) is Outcome.DONE
        return seen

    monkeypatch.setattr(bulk_operations, "read", moving)
    with pytest.raises(BusyError, match="bkf_a kept changing"):
        bulk_operations.stop("backfill", "acme", "bkf_a")
    monkeypatch.undo()

    stopped = bulk_operations.stop("backfill", "acme", "bkf_a")
    assert stopped is not None
    assert stopped.status == "cancelled"
    assert bulk_operations.stop("backfill", "acme", "bkf_a") == stopped
    assert bulk_operations.stop("backfill", "acme", "bkf_z") is None


def test_what_the_minute_has_no_time_for_is_put_off_and_counted(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    wanted = Backfill(task_id=task.task_id, first=NOON - 3_600, last=NOON)
    for name in NAMES:
        named = Named(loop_id=name, tenant_id="acme", by="key_1", began_ms=NOON * 1000)
        assert bulk_operations.begin(loop(wanted, named, per_minute=1))
    found: list[object] = []
    stage.world.spawn("step", lambda: found.append(bulk_operations.step(0.001)))
    stage.world.run(30)

    assert found == [{"loops_put_off": 3}]


def test_a_pointer_to_what_has_ended_is_forgotten(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    wanted = Backfill(task_id=task.task_id, first=NOON - 3_600, last=NOON)
    named = Named(loop_id="bkf_a", tenant_id="acme", by="key_1", began_ms=NOON * 1000)
    assert bulk_operations.begin(loop(wanted, named, per_minute=1))
    (pointer,) = table_reads.rows(("task_id", "loops#running"), "scheduled_for", ("0", "~"))
    bulk_operations.stop("backfill", "acme", "bkf_a")
    put_run(stage, pointer)
    put_run(stage, {**pointer, "scheduled_for": "bkf_gone"})

    assert bulk_operations.step() == {}
    assert list(table_reads.rows(("task_id", "loops#running"), "scheduled_for", ("0", "~"))) == []


def test_a_loop_that_fails_keeps_no_other_from_its_step_and_is_told_of(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    wanted = Backfill(task_id=task.task_id, first=NOON - 3_600, last=NOON)
    for name in NAMES:
        named = Named(loop_id=name, tenant_id="acme", by="key_1", began_ms=NOON * 1000)
        assert bulk_operations.begin(loop(wanted, named, per_minute=1))
    key = {"task_id": "backfill#acme", "scheduled_for": "bkf_b"}
    item = table_reads.get("runs", key)
    assert item is not None
    put_run(stage, item | {"kind": "of a release to come"})

    with pytest.raises(KeyError):
        bulk_operations.step()

    counts = {name: bulk_operations.read("backfill", "acme", name) for name in ("bkf_a", "bkf_c")}
    assert [seen.counts["done"] for seen in counts.values() if seen] == [1, 1]
