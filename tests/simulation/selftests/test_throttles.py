"""A store that takes less than is asked of it: late, but nothing twice and nothing lost."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

import pytest

from onthedot.records.timings import DISPATCH_LIMIT_SEC
from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.histories import history, verdict
from tests.simulation.invariants import Measure, broken
from tests.simulation.machine.journal import read
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.scene import Scene
from tests.simulation.stage import Course, Stage, make_stage, make_task, play

RUNS, HERD = 250, 10_000
DUE_SEC = 120
COURSE = Course(ticks_until=65, sec=260)


def _crowd(profile: Profile, count: int, **given: object) -> Stage:
    """Returns so many tasks with one run each, all due at the same second."""
    stage = make_stage(1, profile)
    for number in range(count):
        stage.register(make_task(f"n{number:04}x", "at(2026-11-18T12:02:00)", stage.world, **given))
    play(stage, COURSE)
    return stage


def _ended_after_sec(stage: Stage) -> float:
    """Returns when the last outcome was written."""
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


def test_10_000_due_on_an_index_of_1600_units_a_second_are_all_advanced_in_one_tick() -> None:
    # An advance costs two units of the index.
    cold = Outage(from_sec=0, for_sec=60, table="tasks", index="due", per_sec=800)
    stage = make_stage(1, Profile(outages=(cold,)))
    for number in range(HERD):
        stage.register(make_task(f"n{number:04}x", "2 12 * * *", stage.world))

    play(stage, replace(COURSE, sec=100, audited=False))

    began, after = _dispatched(stage, "dispatch#0"), _dispatched(stage, "dispatch#1")
    print(f"{HERD} advances on 1,600 units a second took {began.last_sec:.1f} s of the tick")
    assert (began.advanced, after.advanced) == (HERD, 0)
    assert (began.sent, after.sent) == (HERD, 0)
    assert began.last_sec < DISPATCH_LIMIT_SEC
    assert {process.error for process in stage.world.processes} == {None}


class _Dispatched(NamedTuple):
    """What one tick did."""

    sent: int
    advanced: int
    last_sec: float


def _dispatched(stage: Stage, name: str) -> _Dispatched:
    sent: list[str] = []
    advanced, last_us = 0, 0
    for at_us, process, operation, request, answer, _ in stage.world.trace:
        if process is None or process.name != name:
            continue
        last_us = at_us
        if operation == "send_message_batch":
            taken = {one["Id"] for one in answer["Successful"]}
            bodies = [one["MessageBody"] for one in request["Entries"] if one["Id"] in taken]
            sent += [run["run_id"] for body in bodies for run in json.loads(body)["runs"]]
        elif operation == "batch_execute_statement":
            told = zip(request["Statements"], answer["Responses"], strict=True)
            moves = [one for said, one in told if "next_run_at" in said["Statement"]]
            advanced += sum("Error" not in one for one in moves)
    assert len(sent) == len(set(sent))
    return _Dispatched(len(sent), advanced, last_us / 1_000_000)


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
