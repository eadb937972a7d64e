"""Cancel: at once what has not started, by request what runs, and nothing that is over."""

from __future__ import annotations

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import tenant_permits
from onthedot.records.runs.run_row import row_key
from onthedot.records.runs.run_status import Reason
from onthedot.registry.run_cancel import cancel
from onthedot.schedule.expression.errors import BusyError
from onthedot.targets.attempt_outcome import LEFT, Again, Awaiting
from onthedot.work.gates import tenant_line
from tests.simulation.calm import (
    NOON,
    add,
    employ,
    gate,
    go,
    outcomes,
    runs,
    said,
    told,
    unsettle,
    wait,
)
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged


def test_a_claimed_run_is_cancelled_at_once_and_never_starts(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 61)
    claimed = runs(stage, task)[1]

    after = cancel(claimed.run_id)
    assert after is not None
    assert said(after) == "cancelled(user)"
    go(stage, 130)

    assert told(stage) == [(60, 1)]


def test_a_run_that_waits_for_its_retry_is_cancelled_at_once(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda _: Again(Reason.FAILED, after_sec=30)
    go(stage, 61)

    cancel(runs(stage, task)[0].run_id)
    wait(stage, 100)

    assert outcomes(stage, task)["12:01:00"] == "cancelled(user)"
    assert told(stage) == [(60, 1)]


def test_a_handler_that_looks_stops_when_it_is_asked_to(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.takes_sec = lambda _: 60
    go(stage, 70)
    run = runs(stage, task)[0]

    asked = cancel(run.run_id)
    assert asked is not None
    assert asked.life.status == "running"
    assert asked.cancel_by == "user"
    wait(stage, 90)

    assert outcomes(stage, task)["12:01:00"] == "cancelled(user)"


def test_a_handler_that_never_looks_is_left_five_seconds_after_it_was_asked(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.takes_sec = lambda _: 40
    stage.deaf = lambda _: True
    go(stage, 70)
    run = runs(stage, task)[0]

    cancel(run.run_id)
    wait(stage, 70 + 6 + 5 + 1)

    after = stage.rows()[run.run_id]
    assert (said(after), after.life.its_end.note) == ("cancelled(user)", LEFT)


@pytest.mark.parametrize(
    "answer", [Again(Reason.FAILED, after_sec=3_600), Awaiting(Reason.CALLBACK)]
)
def test_a_run_that_comes_to_no_end_after_the_request_does_not_go_on(
    stage: Stage, answer: Again | Awaiting
) -> None:
    """Its worker has not seen the request yet; no other attempt or callback is waited for."""
    task = add(stage, "* * * * *")
    stage.answer = lambda _: answer
    stage.takes_sec = lambda _: 3
    go(stage, 62)

    cancel(runs(stage, task)[0].run_id)
    wait(stage, 65)

    assert outcomes(stage, task)["12:01:00"] == "cancelled(user)"


def test_a_handler_that_does_not_look_ends_as_it_ends(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.takes_sec = lambda _: 3
    go(stage, 62)

    cancel(runs(stage, task)[0].run_id)
    wait(stage, 90)

    assert outcomes(stage, task)["12:01:00"] == "succeeded"


def test_a_run_that_fails_after_the_request_is_not_tried_again(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda _: Again(Reason.FAILED, after_sec=10)
    stage.takes_sec = lambda _: 3
    go(stage, 62)

    cancel(runs(stage, task)[0].run_id)
    wait(stage, 100)

    assert outcomes(stage, task)["12:01:00"] == "cancelled(user)"
    assert told(stage) == [(60, 1)]


def test_what_is_final_stays_as_it_is(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)
    run = runs(stage, task)[0]

    assert cancel(run.run_id) == run
    assert runs(stage, task)[0] == run
    assert cancel("sch_NONE.20261118T120000Z") is None


def test_a_second_request_changes_nothing(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.takes_sec = lambda _: 60
    go(stage, 70)
    run = runs(stage, task)[0]

    cancel(run.run_id)
    asked_ms = stage.rows()[run.run_id].cancel_ms
    wait(stage, 71)
    cancel(run.run_id)

    assert stage.rows()[run.run_id].cancel_ms == asked_ms == (NOON + 70) * 1000


def test_a_run_that_waits_at_the_gate_leaves_the_line(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", overlap="queue")
    stage.takes_sec = lambda _: 40
    first, second, third = (_triggered(stage, task.task_id, at) for at in (1, 2, 3))
    wait(stage, 10)
    assert len(gate(stage, task)["waiting"]) == 2

    cancel(second)
    wait(stage, 130)

    rows = stage.rows()
    assert [said(rows[each]) for each in (first, second, third)] == [
        "succeeded",
        "cancelled(user)",
        "succeeded",
    ]
    assert gate(stage, task) == {"holders": [], "waiting": []}


def test_a_retry_that_is_cancelled_gives_its_place_to_the_next(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", overlap="queue")
    stage.answer = lambda _: Again(Reason.FAILED, after_sec=500)
    first = _triggered(stage, task.task_id, 1)
    _triggered(stage, task.task_id, 2)
    wait(stage, 10)
    assert len(stage.deliveries) == 1

    cancel(first)
    wait(stage, 20)

    assert len(stage.deliveries) == 2


def test_a_row_that_keeps_changing_is_not_said_to_be_cancelled(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 10)
    run = runs(stage, task)[0]
    unsettle(stage, row_key(run.run_id), "life.tv", since=11, sec=1)
    refused: list[bool] = []

    def ask() -> None:
        with pytest.raises(BusyError, match="kept changing"):
            cancel(run.run_id)
        refused.append(True)

    stage.world.spawn("api", ask, at_sec=11)
    wait(stage, 12)

    assert refused == [True]
    assert outcomes(stage, task)["12:01:00"] == "claimed"


def _triggered(stage: Stage, task_id: str, at_sec: float) -> str:
    wait(stage, at_sec)
    run = trigger(task_id)
    assert run is not None
    return run.run_id


def test_an_awaiting_run_that_is_cancelled_gives_its_permit_back_before_its_place(
    stage: Stage,
) -> None:
    """A gate may keep changing; its row says that the place is free."""
    tenant_line.set_limit("acme", 1)
    task = add(stage, "0 0 1 1 *", overlap="queue", timeout_sec=3_600)
    stage.answer = lambda _: Awaiting(Reason.CALLBACK)
    run_id = _triggered(stage, task.task_id, 1)
    wait(stage, 10)
    assert said(stage.rows()[run_id]) == "awaiting(callback)"
    key = {"task_id": task.task_id, "scheduled_for": "#gate"}
    unsettle(stage, key, "rev", since=10, sec=2)

    stage.world.spawn("api", lambda: _busy(run_id), at_sec=10.1)
    wait(stage, 12)

    assert said(stage.rows()[run_id]) == "cancelled(user)"
    assert gate(stage, task)["holders"] == [stage.rows()[run_id].key]
    assert [each for each in tenant_line.read("acme").permits.values() if each.holder] == []


def test_a_worker_is_asked_to_stop_an_execution_though_its_permit_cannot_be_given_back() -> None:
    busy = Outage(from_sec=10, for_sec=20, table="runs", partition=tenant_permits.partition("acme"))
    stage = make_stage(1, Profile(outages=(busy,)))
    stage.answer = lambda _: Awaiting(Reason.EXECUTION, "arn:execution")
    with staged(stage):
        employ(stage)
        tenant_line.set_limit("acme", 1)
        task = add(stage, "0 0 1 1 *", timeout_sec=3_600)
        run_id = _triggered(stage, task.task_id, 1)
        stage.world.spawn("api", lambda: _busy(run_id), at_sec=10)
        wait(stage, 25)

        assert said(stage.rows()[run_id]) == "cancelled(user)"
    asked = [entry for entry in stage.world.trace if entry[1] and entry[1].kind == "api"]
    assert [entry[2] for entry in asked if entry[2].startswith("send_message")] == [
        "send_message_batch"
    ]


def _busy(run_id: str) -> None:
    with pytest.raises(BusyError, match=r"the gate|gave no answer"):
        cancel(run_id)
