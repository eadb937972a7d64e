"""After an outage: which of the missed slots fire, and what is on record of the others."""

from __future__ import annotations

from collections import Counter

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.attributes import typed_item
from onthedot.records.runs.run_status import Reason
from tests.simulation.calm import add, go, outcomes, purge, runs, sent, told, wait, waiting_messages
from tests.simulation.stage import Stage


def test_slots_late_by_less_than_ninety_seconds_are_simply_late(stage: Stage) -> None:
    task = add(stage, "2-59 * * * *", misfire="none", misfire_grace_sec=0)
    wait(stage, 179)
    go(stage, 185)

    assert [attempt for _, attempt in told(stage)] == [1, 1]
    assert {run.origin for run in runs(stage, task)} == {"schedule"}


@pytest.mark.parametrize(
    ("misfire", "fired", "recorded"),
    [
        # Newer ones are due, and are not late.
        ("latest", 0, {"skipped(coalesced)": 7}),
        ("all", 7, {"succeeded": 7}),
        ("none", 0, {"missed(policy_none)": 7}),
    ],
)
def test_the_policy_decides_over_what_is_late_within_the_grace(
    stage: Stage, misfire: str, fired: int, recorded: dict[str, int]
) -> None:
    task = add(stage, "* * * * *", misfire=misfire)
    wait(stage, 599)
    go(stage, 605)

    late = [run for run in runs(stage, task) if run.key < "2026-11-18T12:07:30Z"]
    said = {at: told for at, told in outcomes(stage, task).items() if at < "12:07:30"}
    assert Counter(said.values()) == recorded
    assert sum(run.origin == "catchup" for run in late if run.life.attempt) == fired
    assert all(run.life.status == "succeeded" for run in runs(stage, task)[8:10])


def test_what_fires_of_it_is_the_newest(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="latest", end_sec=430)
    wait(stage, 599)
    go(stage, 605)

    assert outcomes(stage, task)["12:07:00"] == "succeeded"
    assert outcomes(stage, task)["12:06:00"] == "skipped(coalesced)"


def test_what_is_older_than_the_grace_is_missed_under_every_policy(stage: Stage) -> None:
    tasks = [
        add(stage, "* * * * *", name=policy, misfire=policy, misfire_grace_sec=300)
        for policy in ("latest", "all", "none")
    ]
    wait(stage, 599)
    go(stage, 605)

    for task in tasks:
        missed = [run.key[11:16] for run in runs(stage, task) if run.life.reason == "outside_grace"]
        assert missed == ["12:01", "12:02", "12:03", "12:04"]


def test_a_long_outage_is_a_range_and_the_newest_fires_in_the_same_tick(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *", misfire_grace_sec=600, end_sec=3_500)
    wait(stage, 3_599)
    go(stage, 3_605)

    found = [run for run in runs(stage, task) if run.range_to]
    assert [(run.life.reason, run.range_count) for run in found] == [("outside_grace", 299)]
    kept = Counter(run.life.reason for run in runs(stage, task))
    assert kept[Reason.COALESCED] == 50
    assert runs(stage, task)[0].origin == "schedule"
    assert sum(run.origin == "catchup" and run.life.starts == 1 for run in runs(stage, task)) == 1


def test_a_payload_among_the_missed_slots_is_no_row_of_theirs(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *", misfire="none")
    wait(stage, 60)
    trigger(task.task_id, payload={"own": 1})
    wait(stage, 1_799)
    go(stage, 1_805)

    assert [run.range_count for run in runs(stage, task) if run.range_to] == [170]
    assert outcomes(stage, task)["12:30:00"] == "succeeded"


def test_one_slot_outside_the_grace_does_not_hold_up_the_hundred_within(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire_grace_sec=7_200)
    wait(stage, 7_200 + 2 * 60 - 1)
    go(stage, 7_200 + 2 * 60 + 5)

    reasons = [(run.life.reason, run.range_count) for run in runs(stage, task) if run.range_to]
    assert [reason for reason, _ in reasons] == ["outside_grace", "coalesced"]
    assert outcomes(stage, task)["14:02:00"] == "succeeded"


def test_a_one_off_fires_late_within_its_grace_and_not_beyond(stage: Stage) -> None:
    once = "at(2026-11-18T12:03:00)"
    late = add(stage, once, name="late", prefix="tsk", misfire_grace_sec=3_600)
    lost = add(stage, once, name="lost", prefix="tsk", misfire_grace_sec=60)
    wait(stage, 599)
    go(stage, 605)

    assert outcomes(stage, late) == {"12:03:00": "succeeded"}
    assert runs(stage, late)[0].origin == "task"
    assert outcomes(stage, lost) == {"12:03:00": "missed(outside_grace)"}


def test_missed_slots_do_not_count_for_max_runs(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=4, misfire="none")
    wait(stage, 599)
    go(stage, 1_200)

    status = Counter(run.life.status for run in runs(stage, task))
    assert status == {"missed": 8, "succeeded": 4}


def test_a_late_slot_ends_though_no_cursor_is_left_to_give_its_place_back_to(
    stage: Stage,
) -> None:
    task = add(stage, "1 12 * * *", misfire="none", max_runs=2)
    go(stage, 5)
    (kept,) = waiting_messages(stage)
    purge(stage)
    key = typed_item({"task_id": task.task_id, "part": "cursor"})
    stage.world.store.delete_item(TableName="tasks", Key=key)
    wait(stage, 160)

    sent(stage, kept)
    wait(stage, 170)

    assert outcomes(stage, task) == {"12:01:00": "missed(policy_none)"}
    assert waiting_messages(stage) == []
