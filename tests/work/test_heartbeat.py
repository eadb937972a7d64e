"""A handler keeps its lease while it runs, loses it when told so, and may take so long only."""

from __future__ import annotations

import json

from onthedot.launch.trigger import trigger
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs.run_status import Reason
from onthedot.records.runs.tenant_permits import Permit
from onthedot.store import conditional_writer
from onthedot.targets.attempt_outcome import Again, Answer, Done
from onthedot.targets.call import Call
from onthedot.work.gates import tenant_line
from tests.simulation.calm import NOON, add, employ, go, outcomes, purge, runs, told, wait
from tests.simulation.faults.faults import CALM, Aim, Fault
from tests.simulation.stage import Stage, make_stage, staged


def test_a_handler_of_minutes_keeps_its_lease_and_runs_once(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    stage.takes_sec = lambda _: 200
    go(stage, 700)
    lease_ms = runs(stage, task)[0].life.lease_ms

    assert NOON + 700 < lease_ms / 1000 <= NOON + 720
    go(stage, 900)

    assert told(stage) == [(600, 1)]
    assert outcomes(stage, task)["12:10:00"] == "succeeded"


def test_a_handler_past_its_time_is_timed_out_and_tried_again(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *", timeout_sec=30)
    stage.takes_sec = lambda call: 200 if call.attempt == 1 else 1
    stage.deaf = lambda _: True
    stage.answer = lambda _: Done()
    go(stage, 637)
    (run,) = (each for each in runs(stage, task) if each.key.endswith("12:10:00Z"))
    assert (run.life.status, run.life.reason) == ("retrying", "timed_out")
    assert [attempt["outcome"] for attempt in run.life.attempts] == ["timed_out"]
    go(stage, 700)

    assert [attempt for _, attempt in told(stage)] == [1, 2]
    assert outcomes(stage, task)["12:10:00"] == "succeeded"


def test_the_last_attempt_past_its_time_is_the_end(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *", timeout_sec=30, max_attempts=1)
    stage.takes_sec = lambda _: 200
    stage.deaf = lambda _: True
    go(stage, 700)

    assert outcomes(stage, task)["12:10:00"] == "dead(attempts_exhausted)"
    assert runs(stage, task)[0].life.its_end.error["type"] == "TimedOut"


def test_a_handler_whose_lease_is_in_doubt_for_too_long_is_stopped_before_another_starts() -> None:
    """The store answers nothing but that it is too busy; by then the run may be another's."""
    beats = range(1, 9)
    throttled = tuple(
        Aim("work#0", "batch_execute_statement", place, Fault.PARTIAL) for place in beats
    )
    stage = make_stage(1, CALM, throttled)
    stage.takes_sec = lambda call: 100 if call.attempt == 1 else 1
    with staged(stage):
        employ(stage)
        task = add(stage, "*/10 * * * *")
        go(stage, 625.2)
        # What its worker begins next beside it asks the queue for more.
        handler = next(one for one in stage.world.processes if "work#0/" in one.name)
        assert handler.done
        go(stage, 660)

        assert [attempt for _, attempt in told(stage)] == [1, 2]
        assert outcomes(stage, task)["12:10:00"] == "succeeded"
        stage.world.close()


def test_a_worker_that_dies_is_replaced_within_27_seconds(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    stage.takes_sec = lambda call: 60 if call.attempt == 1 else 1
    stage.world.call_at(610, lambda: _kill_workers(stage))
    go(stage, 700)

    (first, _), (second, attempt) = told(stage)
    assert (first, attempt) == (600, 2)
    assert second <= 610 + 27
    run = runs(stage, task)[0]
    assert run.life.status == "succeeded"
    assert [each["outcome"] for each in run.life.attempts] == ["lost"]


def test_a_worker_that_lost_its_lease_settles_nothing(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    stage.takes_sec = lambda _: 30
    stage.world.call_at(610, lambda: _taken_over(stage))
    go(stage, 670)

    # The other's lease ends too: what the first one did is attempt 1's, and outcome of nothing.
    run = runs(stage, task)[0]
    assert [attempt for _, attempt in told(stage)] == [1, 3]
    assert (run.life.starts, run.life.status) == (3, "succeeded")


def test_a_worker_whose_permit_is_anothers_by_now_lets_its_run_go(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *")
    tenant_line.set_limit(task.tenant_id, 2)
    stage.takes_sec = lambda call: 30 if call.attempt == 1 else 1
    stage.world.call_at(610, lambda: _permit_taken(task.tenant_id))
    go(stage, 670)

    assert [attempt for _, attempt in told(stage)] == [1, 2]
    (run,) = runs(stage, task)
    assert [each["outcome"] for each in run.life.attempts] == ["lost"]
    assert (run.life.starts, run.life.status) == (2, "succeeded")


def test_an_attempt_that_gives_the_run_back_is_not_counted(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *", max_attempts=2)

    def answer(call: Call) -> Answer:
        return Again(Reason.RELEASED if call.attempt <= 3 else Reason.FAILED, after_sec=1)

    stage.answer = answer
    go(stage, 700)

    assert [attempt for _, attempt in told(stage)] == [1, 2, 3, 4, 5]
    assert outcomes(stage, task)["12:10:00"] == "dead(attempts_exhausted)"


def test_a_backoff_of_hours_arrives_in_hops_and_never_early(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *")
    stage.answer = lambda call: (
        Again(Reason.FAILED, after_sec=7_200) if call.attempt == 1 else Done()
    )
    stage.world.spawn("api", lambda: trigger(task.task_id))
    wait(stage, 3)
    (body,) = [json.loads(m.body) for m in stage.world.queues.queue("normal").messages.values()]
    assert body["why"] == "retry"
    wait(stage, 8_000)

    assert told(stage) == [(0, 1), (7_200, 2)]
    purge(stage)


def _kill_workers(stage: Stage) -> None:
    for process in stage.world.processes:
        if process.kind == "work" and not process.done:
            stage.world.kill(process, "the test")


def _permit_taken(tenant_id: str) -> None:
    """Writes what another run's start leaves, once this one's lease was over."""
    seen = tenant_line.read(tenant_id)
    ((number, permit),) = seen.permits.items()
    later_ms = permit.lease_ms + 40_000
    taken = Permit(
        tenant_id=tenant_id, number=number, holder="another", owner="ANOTHER", lease_ms=later_ms
    )
    assert conditional_writer.write_one(seen.take(taken)) is Outcome.DONE


def _taken_over(stage: Stage) -> None:
    """Writes what another worker's takeover leaves, as a stall would allow it."""
    run = next(iter(stage.rows().values()))
    stage.world.store.update_item(
        TableName="runs",
        Key={"task_id": {"S": run.task_id}, "scheduled_for": {"S": run.key}},
        UpdateExpression="SET life.#o = :o, life.attempt = :a",
        ExpressionAttributeNames={"#o": "owner"},
        ExpressionAttributeValues={":o": {"S": "ANOTHER"}, ":a": {"N": "2"}},
    )
