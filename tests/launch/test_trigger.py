"""A manual run and a replay: keys of their own, a payload of their own, and no cursor moved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from onthedot.launch.replay import Wish, replay
from onthedot.launch.trigger import Moment, trigger
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.schedule.expression.errors import BusyError
from onthedot.targets.attempt_outcome import Again, Dead, Done
from tests.simulation.calm import (
    NOON,
    add,
    employ,
    go,
    outcomes,
    part,
    partition,
    purge,
    runs,
    said,
    told,
    wait,
)
from tests.simulation.faults.faults import CALM, Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users import user


def triggered(stage: Stage, text: str = "0 0 * * *") -> Run:
    run = trigger(add(stage, text).task_id)
    assert run is not None
    return run


def test_a_trigger_runs_at_once_and_moves_no_cursor(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    before = part(stage, task, "cursor")
    wait(stage, 5)

    run = trigger(task.task_id)
    wait(stage, 10)

    assert run is not None
    assert told(stage) == [(5, 1)]
    assert run.origin == "manual"
    assert run.run_id.split(".", 1)[1].startswith("20261118T120005.000Z~m")
    assert said(stage.rows()[run.run_id]) == "succeeded"
    assert part(stage, task, "cursor") == before


def test_only_who_may_have_asked_before_has_the_store_asked_for_the_run(stage: Stage) -> None:
    """A read more a trigger would be paid by everybody who triggers."""
    task = add(stage, "0 0 * * *")

    for again in (False, True):
        moment = Moment(NOON * 1000, f"T{again}", again=again)
        stage.world.spawn("api", partial(trigger, task.task_id, moment=moment))
        stage.world.run(stage.world.now_us / 1_000_000 + 1)

    read = [entry[1] for entry in stage.world.trace if "~m" in str(entry[3].get("Key"))]
    assert [process.name for process in read if process] == ["api#1"]


def test_two_triggers_of_one_millisecond_are_two_runs(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")

    first, second = trigger(task.task_id), trigger(task.task_id)
    wait(stage, 10)

    assert first != second
    assert len(stage.deliveries) == 2


def test_a_trigger_beside_a_slot_of_the_same_second_leaves_it_alone(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 60)

    trigger(task.task_id)
    go(stage, 70)

    assert told(stage) == [(60, 1), (60, 1)]
    assert [run.origin for run in runs(stage, task)][:2] == ["manual", "schedule"]


def test_a_trigger_works_on_a_paused_task_and_not_on_one_that_is_gone(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    user.pause(task.task_id)

    assert trigger(task.task_id) is not None
    wait(stage, 10)

    assert told(stage) == [(0, 1)]
    assert trigger("sch_NONE") is None


def test_a_payload_of_its_own_reaches_the_target_and_every_retry(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", payload={"of": "task"})
    stage.answer = lambda call: Again(Reason.FAILED, after_sec=5) if call.attempt == 1 else Done()

    trigger(task.task_id, payload={"of": "run"})
    wait(stage, 30)

    assert [delivery.payload for delivery in stage.deliveries] == [{"of": "run"}] * 2


def test_a_payload_of_its_own_is_kept_for_as_long_as_its_run_may_be_looked_at(
    stage: Stage,
) -> None:
    task = add(stage, "0 0 * * *")

    run = trigger(task.task_id, payload={"of": "run"})

    assert run is not None
    (side,) = [each for each in partition(stage, task.task_id) if "payload" in each]
    assert 400 * 86_400 - 60 <= side["expires_at"] - run.life.due_ms // 1000 <= 400 * 86_400


def test_a_trigger_that_sqs_does_not_take_is_not_acknowledged_and_may_be_repeated() -> None:
    stage = make_stage(1, Profile(outages=(Outage(from_sec=0, for_sec=3, queue="normal"),)))
    moment = Moment(NOON * 1000, "same")
    with staged(stage):
        employ(stage)
        task = add(stage, "0 0 * * *")
        asked = [
            stage.world.spawn("api", lambda: trigger(task.task_id, moment=moment), at_sec=at_sec)
            for at_sec in (1, 5)
        ]
        wait(stage, 30)
        stage.world.close()

    assert isinstance(asked[0].error, BusyError)
    assert asked[1].error is None
    assert len(stage.deliveries) == 1
    assert [said(run) for run in runs(stage, task)] == ["succeeded"]


def test_one_and_the_same_moment_is_one_run_and_never_a_second(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    moment = Moment(NOON * 1000, "same", again=False)
    again = replace(moment, again=True)

    made = [trigger(task.task_id, moment=each) for each in (moment, moment, again)]
    wait(stage, 10)

    assert len({run.run_id for run in made if run is not None}) == 1
    assert None not in made
    assert told(stage) == [(0, 1)]


def test_a_trigger_is_listed_so_that_the_audit_finds_it(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    trigger(task.task_id)
    purge(stage)
    assert len(partition(stage, "check#")) == 1

    go(stage, 200, audited=True)

    assert list(outcomes(stage, task).values()) == ["succeeded"]


def test_a_trigger_put_twice_by_the_sdk_is_one_run_and_is_answered() -> None:
    aim = Aim("api#0", "batch_execute_statement", 0, Fault.REPEATED)
    stage = make_stage(1, CALM, (aim,))
    answers: list[Run | None] = []
    with staged(stage):
        task = add(stage, "0 0 * * *")
        stage.world.spawn("api", lambda: answers.append(trigger(task.task_id)))
        wait(stage, 5)
        stage.world.close()

    (run,) = runs(stage, task)
    assert answers == [run]
    assert len(stage.world.queues.queue("normal").messages) == 1


@pytest.mark.parametrize("answer", [Done(), Dead(Reason.PERMANENT)])
def test_a_replay_is_a_new_run_and_the_old_one_keeps_its_outcome(
    stage: Stage, answer: Done | Dead
) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda _: answer
    go(stage, 61)
    old = runs(stage, task)[0]

    again = replay(old.run_id)
    wait(stage, 70)

    assert again is not None
    assert (again.origin, again.slot, again.replay_of) == ("replay", old.key, old.run_id)
    assert "~r" in again.run_id
    seen = stage.rows()[old.run_id]
    assert (seen.life, seen.replayed_as, seen.attention) == (old.life, again.run_id, "")
    assert len(stage.deliveries) == 2


def test_what_is_still_open_is_not_replayed(stage: Stage) -> None:
    run = triggered(stage)

    assert replay(run.run_id) is None
    assert replay("sch_NONE.20261118T120000Z") is None


def test_a_replay_of_a_manual_run_has_no_slot(stage: Stage) -> None:
    run = triggered(stage)
    wait(stage, 5)

    again = replay(run.run_id)

    assert again is not None
    assert again.slot == ""


def test_a_replay_carries_the_payload_of_the_run_unless_given_another(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", payload={"of": "task"})
    old = trigger(task.task_id, payload={"of": "run"})
    wait(stage, 5)
    assert old is not None

    replay(old.run_id)
    wait(stage, 10)
    replay(old.run_id, Wish(payload={"of": "replay"}))
    wait(stage, 15)

    paid = [delivery.payload for delivery in stage.deliveries]
    assert paid == [{"of": "run"}, {"of": "run"}, {"of": "replay"}]


def test_a_run_of_a_deleted_task_is_not_replayed(stage: Stage) -> None:
    run = triggered(stage)
    wait(stage, 5)
    user.delete(run.task_id)

    assert replay(run.run_id) is None
