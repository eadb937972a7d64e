"""A store that takes less than is asked of it: late, but nothing twice and nothing lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulation.faults import Aim, Fault, Profile
from tests.simulation.histories import history, verdict
from tests.simulation.invariants import Measure, broken
from tests.simulation.journal import read
from tests.simulation.outages import Outage
from tests.simulation.profiles import ALL
from tests.simulation.scene import Scene
from tests.simulation.stage import Course, Stage, make_stage, make_task, play

RUNS = 250
DUE_SEC = 120
COURSE = Course(ticks_until=65, sec=260)


def _crowd(profile: Profile, count: int, **given: object) -> Stage:
    """So many tasks with one run each, all due at the same second."""
    stage = make_stage(1, profile)
    for number in range(count):
        stage.register(make_task(f"n{number:04}x", "at(2026-11-18T12:02:00)", stage.world, **given))
    play(stage, COURSE)
    return stage


def _ended_after_sec(stage: Stage) -> float:
    """When the last outcome was written."""
    due_ms = (stage.world.start.timestamp() + DUE_SEC) * 1000
    journal = read(stage.world, stage.corrected)
    written = [one.at_ms for one in journal.changes if one.after and one.after.final]
    return (max(written) - due_ms) / 1000


def test_a_crowd_on_a_store_that_takes_300_writes_a_second_runs_once_and_is_done_in_4_s() -> None:
    slow = Outage(from_sec=DUE_SEC - 5, for_sec=60, table="runs", per_sec=300)

    stage = _crowd(Profile(outages=(slow,)), RUNS, overlap="skip")

    assert len(stage.deliveries) == len({each.run_id for each in stage.deliveries}) == RUNS
    assert {run.life.status for run in stage.rows().values()} == {"succeeded"}
    print(f"{RUNS} runs of 3 writes each ended {_ended_after_sec(stage):.2f} s after they were due")
    assert _ended_after_sec(stage) <= 4
    assert broken(stage, Measure(until_sec=5)) == []


def test_an_index_that_takes_1600_units_a_second_takes_every_advance_in_its_tick() -> None:
    # An advance costs two units of the index.
    cold = Outage(from_sec=0, for_sec=60, table="tasks", index="due", per_sec=800)
    stage = make_stage(1, Profile(outages=(cold,)))
    for number in range(1_000):
        stage.register(make_task(f"n{number:04}x", "2 12 * * *", stage.world))

    play(stage, replace(COURSE, ticks_until=5, sec=40, audited=False))

    sent = [
        entry
        for entry in stage.world.trace
        if entry[2] == "send_message_batch" and entry[1] and entry[1].kind == "dispatch"
    ]
    cursors = stage.world.store.scan(TableName="tasks")["Items"]
    moved = [one for one in cursors if one["part"]["S"] == "cursor" and "19T" in str(one)]
    assert len(moved) == 1_000
    named = sum(str(entry[3]).count('"run_id"') for entry in sent)
    assert named == 1_000


FIFTY = Scene(name="fifty", kinds=("minute",), drawn=1, course=COURSE)
ONCE = (Fault.THROTTLED, Fault.LOST, Fault.REFUSED, Fault.REPEATED, Fault.PARTIAL, Fault.TORN)


@pytest.mark.parametrize("fault", ONCE)
def test_one_fault_at_any_call_of_the_workers_executes_none_of_50_runs_twice(fault: Fault) -> None:
    calm = _crowd(Profile(), 50, overlap="skip")
    calls = [one for one in calm.world.effects() if one.process.startswith("work")]
    twice = []
    for call in calls:
        if "/" in call.process:
            continue
        aim = Aim(call.process, call.operation, call.nth, fault)
        stage = _fifty(aim)
        if len(stage.deliveries) != len({each.run_id for each in stage.deliveries}):
            twice.append(call)

    assert len(calls) > 20
    assert twice == []


def _fifty(aim: Aim) -> Stage:
    stage = make_stage(1, Profile(), (aim,))
    for number in range(50):
        task = make_task(f"n{number:04}x", "at(2026-11-18T12:02:00)", stage.world, overlap="skip")
        stage.register(task)
    play(stage, COURSE)
    return stage


def test_ten_seconds_without_the_table_execute_nothing_twice() -> None:
    stage = history(ALL["throttled"], 1)

    assert len(stage.deliveries) == len({each.run_id for each in stage.deliveries})
    assert verdict(ALL["throttled"], 1) == []
