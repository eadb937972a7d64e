"""Pull: a run that outside workers fetch is claimed into an index, and sent nowhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.records.attributes import plain_item
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import pull, run_writes
from onthedot.records.runs.message_pack import Ticket
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.store import conditional_writer
from onthedot.targets.attempt_outcome import Again, Done
from onthedot.work.awaited_completion import conclude
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job
from onthedot.work.starts import start_due
from tests.simulation.calm import NOON, add, go, runs, said, told, wait, waiting_messages
from tests.simulation.stage import Stage
from tests.simulation.users import user

PULLED = {"type": "pull", "queue": "gpu"}


def indexed(stage: Stage) -> dict[str, str]:
    """Returns the rows of the tenant's queue, by their time of day: where they stand in the
    index.
    """
    rows = [plain_item(item) for item in stage.world.store.scan(TableName="runs")["Items"]]
    partition = pull.partition("acme", "gpu")
    return {
        row["scheduled_for"][11:19]: row["pull_at"] for row in rows if row.get("pull") == partition
    }


def job(run: Run) -> Job:
    """Returns a run in the hands of the worker that fetches it."""
    attempt = run.life.starts + 1
    return Job(
        ticket=Ticket(run.run_id, attempt, run.life.tv),
        hint=Hint(attempt=attempt, receives=1, message_id="lease"),
    )


def fetched(stage: Stage, task: Task, worker: str = "gpu-box", queue: str = "gpu") -> list[Run]:
    """Lease all that is open, as the API does for a worker."""
    empty = Batch(queue=pull.queue_of(1, queue), messages=[])
    jobs = [job(run) for run in runs(stage, task) if not run.final]
    started, _ = start_due(empty, jobs, worker=worker)
    return [each.held for each in started]


def added(stage: Stage, **given: Any) -> Task:  # noqa: ANN401 any field
    """Returns an hourly task for outside workers, whose first run is claimed."""
    task = add(stage, "0 * * * *", **({"target": PULLED} | given))
    go(stage, 3_600 + 2)
    return task


def test_the_claim_is_the_send(stage: Stage) -> None:
    added(stage, priority=1)

    assert indexed(stage) == {"13:00:00": f"1#{(NOON + 3_600) * 1000:013}"}
    assert waiting_messages(stage) == waiting_messages(stage, "high") == []
    assert told(stage) == []


def test_what_is_due_lies_in_the_ranges_and_what_is_not_does_not() -> None:
    first, last = pull.ranges(NOON * 1000)[0]

    assert first <= f"1#{NOON * 1000:013}" <= last
    assert not first <= f"1#{NOON * 1000 + 1:013}" <= last


def test_a_fetched_run_is_started_and_turns_up_again_when_its_lease_is_over(stage: Stage) -> None:
    task = added(stage)

    (run,) = fetched(stage, task)

    assert (run.life.status, run.life.starts) == ("running", 1)
    assert indexed(stage)["13:00:00"].startswith("9#")
    assert fetched(stage, task, "another") == []


def test_what_the_worker_says_is_the_outcome_and_ends_its_place_in_the_index(stage: Stage) -> None:
    task = added(stage)
    (run,) = fetched(stage, task)

    assert conclude(run, task, Done("trained"))

    (ended,) = runs(stage, task)
    assert (said(ended), ended.life.its_end.result) == ("succeeded", "trained")
    assert indexed(stage) == {}


def test_a_failure_is_in_the_index_again_when_it_is_due(stage: Stage) -> None:
    task = added(stage)
    (run,) = fetched(stage, task)

    assert conclude(run, task, Again(Reason.FAILED, after_sec=60))

    (retrying,) = runs(stage, task)
    assert said(retrying) == "retrying(failed)"
    assert indexed(stage) == {"13:00:00": f"2#{retrying.life.due_ms:013}"}
    assert waiting_messages(stage) == []
    assert fetched(stage, task) == []
    wait(stage, 3_600 + 120)
    assert [run.life.starts for run in fetched(stage, task)] == [2]


def test_the_run_of_a_worker_that_died_is_another_s_and_the_dead_one_cannot_settle(
    stage: Stage,
) -> None:
    task = added(stage)
    (first,) = fetched(stage, task, "dead")
    wait(stage, 3_600 + 2 + 27)

    (second,) = fetched(stage, task, "alive")

    assert second.life.starts == 2
    assert not conclude(first, task, Done("too late"))
    settled = run_writes.settle(first, first.life, now_ms=NOON * 1000)
    assert conditional_writer.write_one(settled).value == "refused"
    assert conclude(second, task, Done("in time"))


def test_a_task_that_no_worker_of_ours_works_any_more_hands_its_queued_run_over(
    stage: Stage,
) -> None:
    task = add(stage, "0 * * * *")
    go(stage, 3_540)
    user.change(task.task_id, lambda task, _: _with_target(task, PULLED))
    wait(stage, 3_610)

    assert told(stage) == []
    assert list(indexed(stage)) == ["13:00:00"]
    assert waiting_messages(stage) == []


def test_a_task_that_outside_workers_work_no_more_hands_its_run_back(stage: Stage) -> None:
    task = added(stage)
    user.change(task.task_id, lambda task, _: _with_target(task, {"type": "recording"}))

    assert fetched(stage, task) == []
    wait(stage, 3_620)

    assert [attempt for _, attempt in told(stage)] == [1]
    assert indexed(stage) == {}


@pytest.mark.parametrize("begun", ["", "failed", "lost"])
def test_what_is_ours_by_now_and_no_outside_worker_asks_for_goes_to_ours_by_the_audit(
    stage: Stage, begun: str
) -> None:
    task = added(stage)
    if begun:
        (run,) = fetched(stage, task)
        user.change(task.task_id, lambda task, _: _with_target(task, {"type": "recording"}))
        assert begun == "lost" or conclude(run, task, Again(Reason.FAILED, after_sec=1))
    else:
        user.change(task.task_id, lambda task, _: _with_target(task, {"type": "recording"}))

    go(stage, 3_600 + 300, audited=True)

    assert [attempt for _, attempt in told(stage)] == [2 if begun else 1]
    assert indexed(stage) == {}
    assert waiting_messages(stage) == []


def test_what_stays_with_outside_workers_waits_for_them_whatever_the_audit_says(
    stage: Stage,
) -> None:
    added(stage)

    go(stage, 3_600 + 300, audited=True)

    assert list(indexed(stage)) == ["13:00:00"]
    assert waiting_messages(stage) == []


@pytest.mark.parametrize("asked_for", [True, False])
def test_a_task_that_goes_to_another_queue_of_outside_workers_takes_its_run_along(
    stage: Stage,
    asked_for: bool,  # noqa: FBT001 a table
) -> None:
    task = added(stage, priority=1)
    user.change(
        task.task_id, lambda task, _: replace(task, target=PULLED | {"queue": "cpu"}, priority=3)
    )

    if asked_for:
        assert fetched(stage, task) == []
    else:
        go(stage, 3_600 + 300, audited=True)

    assert indexed(stage) == {}
    (row,) = runs(stage, task)
    assert row.queue == "pull:3:cpu"
    assert fetched(stage, task) == []
    assert len(fetched(stage, task, queue="cpu")) == 1


def test_what_was_handed_over_after_the_index_showed_it_is_not_started_for_an_outside_worker(
    stage: Stage,
) -> None:
    task = added(stage)
    user.change(task.task_id, lambda task, _: _with_target(task, {"type": "recording"}))

    assert fetched(stage, task, "first") == []
    assert fetched(stage, task, "second") == []

    assert told(stage) == []
    wait(stage, 3_620)
    assert [attempt for _, attempt in told(stage)] == [1]
    assert [run.life.starts for run in runs(stage, task)] == [1]


def test_a_takeover_that_comes_after_the_run_was_handed_over_is_refused(stage: Stage) -> None:
    task = added(stage)
    fetched(stage, task, "dead")
    wait(stage, 3_600 + 2 + 27)
    (seen,) = runs(stage, task)
    user.change(task.task_id, lambda task, _: _with_target(task, {"type": "recording"}))
    assert fetched(stage, task) == []

    late_ms = seen.life.lease_ms + 10_000
    begun = run_writes.started(
        seen, owner="late", msg="", now_ms=late_ms, lease_ms=late_ms + 20_000
    )
    assert (
        conditional_writer.write_one(run_writes.start(seen, begun, now_ms=late_ms))
        is Outcome.REFUSED
    )

    wait(stage, 3_700)
    assert [attempt for _, attempt in told(stage)] == [2]


def _with_target(task: Task, target: dict[str, Any]) -> Task:
    return replace(task, target=target)
