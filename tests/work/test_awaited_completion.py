"""Awaiting: a target took the work on; it is settled by what it says later, or by the time."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from botocore.exceptions import EndpointConnectionError

from onthedot.launch.trigger import trigger
from onthedot.records.runs import run_row, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LEASE_SEC
from onthedot.registry.run_cancel import cancel
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Done
from onthedot.targets.aws import stepfunctions
from onthedot.targets.call import Call
from onthedot.work.awaited_completion import conclude
from onthedot.work.outside.lease_answers import Told, extend, settle
from tests.schedule.samples import lived
from tests.simulation.calm import (
    add,
    employ,
    gate,
    go,
    outcomes,
    purge,
    runs,
    said,
    told,
    unsettle,
    wait,
    waiting_messages,
)
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged

HOUR = 3_600
CALLS_BACK = {"type": "http", "url": "https://jobs.example", "complete": "callback"}


@dataclass(slots=True)
class Execution:
    """What was asked of it, and how often it does not hear."""

    stops: list[str] = field(default_factory=list)
    refuses: int = 0

    def stop(self, arn: str) -> bool:
        self.stops.append(arn)
        return len(self.stops) > self.refuses


def awaited(stage: Stage, **given: object) -> tuple[Task, Run]:
    """Returns a daily run whose target has taken it on at one o'clock, and answers within the
    hour.
    """
    task = add(stage, "0 13 * * *", timeout_sec=HOUR, **given)
    stage.answer = lambda call: Awaiting(Reason.CALLBACK) if call.attempt == 1 else Done("again")
    go(stage, HOUR + 5)
    (run,) = runs(stage, task)
    return task, run


def now(run: Run) -> Run:
    """Returns the row as it is."""
    item = table_reads.get(run_row.TABLE, run_row.row_key(run.run_id))
    assert item is not None
    return run_row.parse(item)


def test_a_run_that_was_taken_on_waits_without_a_worker(stage: Stage) -> None:
    _, run = awaited(stage)

    assert said(run) == "awaiting(callback)"
    assert run.life.lease_ms == run.life.its_attempt.started_ms + HOUR * 1000
    assert len(waiting_messages(stage)) == 1


def test_an_answer_ends_it_and_its_message_finds_it_so(stage: Stage) -> None:
    task, run = awaited(stage)

    assert conclude(run, task, Done({"pages": 3}))
    wait(stage, 2 * HOUR)

    assert said(now(run)) == "succeeded"
    assert now(run).life.its_end.result == {"pages": 3}
    assert waiting_messages(stage) == []
    assert told(stage) == [(HOUR, 1)]


def test_a_failure_is_tried_again_as_any_other(stage: Stage) -> None:
    task, run = awaited(stage)

    assert conclude(run, task, Again(Reason.FAILED, after_sec=60))
    assert said(now(run)) == "retrying(failed)"
    wait(stage, 2 * HOUR)

    assert said(now(run)) == "succeeded"
    assert [attempt for _, attempt in told(stage)] == [1, 2]


def test_a_failure_whose_next_message_sqs_does_not_take_is_not_taken() -> None:
    stage = make_stage(1, Profile(outages=(Outage(from_sec=30, for_sec=9, queue="normal"),)))
    with staged(stage):
        employ(stage)
        task = add(stage, "0 0 1 1 *", timeout_sec=HOUR)
        stage.answer = lambda call: (
            Awaiting(Reason.CALLBACK) if call.attempt == 1 else Done("again")
        )
        trigger(task.task_id)
        wait(stage, 10)
        (run,) = runs(stage, task)
        says = [
            stage.world.spawn(
                "said", lambda: conclude(run, task, Again(Reason.FAILED)), at_sec=at_sec
            )
            for at_sec in (32, 45)
        ]
        wait(stage, 40)
        before = said(stage.rows()[run.run_id])
        wait(stage, 900)
        stage.world.close()

    assert [said_it.result for said_it in says] == [False, True]
    assert before == "awaiting(callback)"
    assert said(stage.rows()[run.run_id]) == "succeeded"


def test_no_answer_in_time_is_a_timeout_and_tried_again(stage: Stage) -> None:
    _, run = awaited(stage)
    wait(stage, 3 * HOUR)

    assert said(now(run)) == "succeeded"
    (first,) = now(run).life.attempts
    assert first["outcome"] == "timed_out"
    (_, again) = told(stage)
    assert 2 * HOUR <= again[0] < 2 * HOUR + 60


def test_the_last_attempt_without_an_answer_is_the_end(stage: Stage) -> None:
    task, _ = awaited(stage, max_attempts=1)
    wait(stage, 3 * HOUR)

    assert outcomes(stage, task)["13:00:00"] == "dead(attempts_exhausted)"
    assert waiting_messages(stage) == []


def test_an_answer_that_comes_twice_counts_once(stage: Stage) -> None:
    task, run = awaited(stage)

    assert conclude(run, task, Done(1))
    assert not conclude(run, task, Done(2))
    assert now(run).life.its_end.result == 1


def test_an_answer_before_the_worker_has_settled_is_the_outcome(stage: Stage) -> None:
    """The receiver may call back before its own 202 has been read."""
    task = add(stage, "0 13 * * *", timeout_sec=HOUR)

    def answer(_: object) -> Answer:
        (run,) = runs(stage, task)
        assert conclude(now(run), task, Done("called back"))
        return Awaiting(Reason.CALLBACK)

    stage.answer = answer
    go(stage, HOUR + 60)

    (run,) = runs(stage, task)
    assert (said(run), run.life.its_end.result) == ("succeeded", "called back")
    assert run.stale == ()


def test_its_target_may_show_that_it_is_at_work_and_hears_when_it_need_not_be(
    stage: Stage,
) -> None:
    _, run = awaited(stage)

    kept = extend(run.run_id, 1, tenant_id="acme", lease_sec=10, progress={"pages": 3})
    cancel(run.run_id)
    later = extend(run.run_id, 1, tenant_id="acme", lease_sec=10)

    assert isinstance(kept, Run)
    assert kept.life.lease_ms == run.life.lease_ms
    assert now(run).life.progress == {"pages": 3}
    assert later is Told.LOST


def test_its_target_keeps_no_lease_of_the_worker_that_has_not_heard_it_yet(stage: Stage) -> None:
    add(stage, "0 13 * * *", timeout_sec=HOUR, target=CALLS_BACK)
    leases: list[int] = []

    def answer(call: Call) -> Answer:
        kept = extend(call.run_id, 1, tenant_id="acme", lease_sec=600)
        assert isinstance(kept, Run)
        assert kept.life.lease_ms == kept.life.its_attempt.started_ms + HOUR * 1000
        leases.append(now(kept).life.lease_ms - now(kept).life.its_attempt.started_ms)
        return Done()

    stage.answer = answer
    go(stage, HOUR + 60)

    assert leases == [LEASE_SEC * 1000]


def test_nobody_keeps_the_lease_of_a_worker_of_ours(stage: Stage) -> None:
    add(stage, "0 13 * * *", timeout_sec=HOUR)
    told: list[object] = []

    def answer(call: Call) -> Answer:
        told.append(extend(call.run_id, 1, tenant_id="acme", lease_sec=600))
        return Done()

    stage.answer = answer
    go(stage, HOUR + 60)

    assert told == [Told.LOST]


def test_an_awaiting_run_is_cancelled_at_once(stage: Stage) -> None:
    task, run = awaited(stage)

    cancel(run.run_id)

    assert said(now(run)) == "cancelled(user)"
    assert not conclude(run, task, Done())


def test_it_holds_its_place_until_it_has_ended(stage: Stage) -> None:
    task, run = awaited(stage, overlap="queue")
    assert gate(stage, task)["holders"] == [run.key]

    conclude(run, task, Done())

    assert gate(stage, task)["holders"] == []


def test_a_word_that_is_said_again_frees_the_place_that_a_dead_process_kept(stage: Stage) -> None:
    task, run = awaited(stage, overlap="queue", target=CALLS_BACK)
    ended = lived(run.life, status="succeeded", lease_ms=0)
    conditional_writer.write_one(run_writes.mark(run, ended, now_ms=clock.now_ms()))
    assert gate(stage, task)["holders"] == [run.key]

    assert settle(run.run_id, 1, Done(), tenant_id="acme") is Told.TAKEN

    assert gate(stage, task)["holders"] == []


def test_a_look_that_fails_says_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(_arn: str) -> Answer | None:
        raise EndpointConnectionError(endpoint_url="states")

    monkeypatch.setattr(stepfunctions, "look", look)
    monkeypatch.setattr(stepfunctions, "stop", lambda _arn: False)
    task = add(stage, "0 13 * * *", timeout_sec=600, max_attempts=1)
    stage.answer = lambda _: Awaiting(Reason.EXECUTION, "arn:execution")
    go(stage, 2 * HOUR)

    assert outcomes(stage, task)["13:00:00"] == "dead(attempts_exhausted)"
    (run,) = runs(stage, task)
    assert run.life.its_end.ended_ms - run.life.its_attempt.started_ms < 700_000


@pytest.fixture
def execution(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Execution:
    """Returns one that runs until it is stopped."""
    made = Execution()
    monkeypatch.setattr(stepfunctions, "look", lambda _arn: None)
    monkeypatch.setattr(stepfunctions, "stop", made.stop)
    stage.answer = lambda _: Awaiting(Reason.EXECUTION, "arn:execution")
    return made


def test_a_cancelled_runs_execution_is_stopped_at_once(stage: Stage, execution: Execution) -> None:
    task = add(stage, "0 13 * * *", timeout_sec=HOUR)
    go(stage, HOUR + 600)
    (run,) = runs(stage, task)

    cancel(run.run_id)
    wait(stage, HOUR + 600.9)

    assert said(now(run)) == "cancelled(user)"
    assert execution.stops == ["arn:execution"]
    wait(stage, 3 * HOUR)
    assert waiting_messages(stage) == []


def test_an_execution_is_stopped_at_once_though_the_gate_of_its_task_keeps_changing(
    stage: Stage, execution: Execution
) -> None:
    task = add(stage, "0 13 * * *", timeout_sec=HOUR, overlap="queue")
    go(stage, HOUR + 600)
    (run,) = runs(stage, task)
    key = {"task_id": task.task_id, "scheduled_for": "#gate"}
    unsettle(stage, key, "rev", since=HOUR + 600, sec=2)

    stage.world.spawn("api", lambda: _busy(run), at_sec=HOUR + 600.1)
    wait(stage, HOUR + 603)

    assert said(now(run)) == "cancelled(user)"
    assert execution.stops == ["arn:execution"]


def _busy(run: Run) -> None:
    with pytest.raises(BusyError, match="the gate"):
        cancel(run.run_id)


def test_whoever_cancels_may_die_before_it_tells_anybody(
    stage: Stage, execution: Execution
) -> None:
    task = add(stage, "0 13 * * *", timeout_sec=HOUR)
    go(stage, HOUR + 600)
    (run,) = runs(stage, task)

    conditional_writer.write_one(run_writes.cancel(run, "key_1", now_ms=clock.now_ms()))
    wait(stage, HOUR + 600 + 300)

    assert execution.stops == ["arn:execution"]
    assert waiting_messages(stage) == []


def test_a_stop_that_is_not_answered_is_tried_again(stage: Stage, execution: Execution) -> None:
    execution.refuses = 2
    task = add(stage, "0 13 * * *", timeout_sec=HOUR)
    go(stage, HOUR + 10)
    (run,) = runs(stage, task)
    purge(stage)

    cancel(run.run_id)
    wait(stage, 2 * HOUR)

    assert execution.stops == ["arn:execution"] * 3
    assert waiting_messages(stage) == []


def test_a_run_that_was_to_stop_before_it_began_to_wait_stops(
    stage: Stage, execution: Execution
) -> None:
    task = add(stage, "0 13 * * *", timeout_sec=HOUR)

    def answer(_: object) -> Answer:
        (run,) = runs(stage, task)
        assert cancel(run.run_id) is not None
        return Awaiting(Reason.EXECUTION, "arn:execution")

    stage.answer = answer
    go(stage, HOUR + 60)

    (run,) = runs(stage, task)
    assert said(run) == "cancelled(user)"
    assert execution.stops == ["arn:execution"]


def test_an_execution_that_is_out_of_time_is_stopped_before_the_next_begins(
    stage: Stage, execution: Execution
) -> None:
    task = add(stage, "0 13 * * *", timeout_sec=600, max_attempts=2)
    go(stage, 3 * HOUR)

    assert outcomes(stage, task)["13:00:00"] == "dead(attempts_exhausted)"
    assert execution.stops == ["arn:execution"] * 2


def test_what_gives_way_to_a_newer_run_is_stopped(stage: Stage, execution: Execution) -> None:
    task = add(stage, "0,10 13 * * *", timeout_sec=HOUR, overlap="cancel_previous")
    go(stage, HOUR + 615)

    assert list(outcomes(stage, task).values()) == ["cancelled(previous)", "awaiting(execution)"]
    assert execution.stops == ["arn:execution"]


def test_an_execution_is_looked_at_until_it_has_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []

    def look(arn: str) -> Answer | None:
        assert arn == "arn:execution"
        looks.append(stage.world.now_us / 1_000_000)
        return Done("made") if len(looks) == 5 else None

    monkeypatch.setattr(stepfunctions, "look", look)
    task = add(stage, "0 13 * * *", timeout_sec=HOUR)
    stage.answer = lambda _: Awaiting(Reason.EXECUTION, "arn:execution")
    go(stage, 2 * HOUR)

    assert outcomes(stage, task)["13:00:00"] == "succeeded"
    assert len(looks) == 5
    assert looks == sorted(looks)
    assert waiting_messages(stage) == []
