"""What outside workers ask for and say: leases within their time, and words that count once."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.attributes import typed_item
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped, Stopped
from onthedot.work.outside import lease
from onthedot.work.outside.lease_answers import Told, extend, extended, settle, standing
from tests.schedule.samples import lived
from tests.simulation.calm import NOON, add, said, wait
from tests.simulation.stage import Stage, make_task

PULLED = {"type": "pull", "queue": "gpu"}
STARTED_MS = NOON * 1000


@pytest.mark.parametrize(
    ("at_sec", "asked_sec", "secs"),
    [
        (0, 30, (20, 30)),
        (10, 30, (20, 40)),
        # It keeps what it was given before.
        (10, 5, (40, 40)),
        # The attempt's own time is a minute.
        (50, 30, (55, 60)),
        (70, 30, (60, 60)),
        # Not even the start's own lease, which is longer than some attempts may take.
        (0, 5, (65, 60)),
    ],
)
def test_a_lease_reaches_as_far_as_asked_and_no_further_than_the_attempt(
    stage: Stage, at_sec: int, asked_sec: int, secs: tuple[int, int]
) -> None:
    had_sec, lease_sec = secs
    task = make_task("some", "0 0 1 1 *", stage.world, timeout_sec=60)
    life = lived(
        status="running",
        attempt=1,
        due_ms=STARTED_MS,
        started_ms=STARTED_MS,
        lease_ms=STARTED_MS + had_sec * 1000,
    )
    run = Run(
        task_id=task.task_id,
        key="2026-11-18T12:00:00Z",
        tenant_id="acme",
        origin="schedule",
        queue="pull:2:some",
        life=life,
    )
    stage.world.run(at_sec)
    assert clock.now_ms() == STARTED_MS + at_sec * 1000

    kept = extended(run, task, asked_sec)

    assert kept.life.lease_ms == STARTED_MS + lease_sec * 1000
    assert kept.life.its_attempt.started_ms == STARTED_MS


def fetched(stage: Stage, **given: Any) -> tuple[Task, Run]:  # noqa: ANN401 any field
    """Returns a run that an outside worker has had for a second, for a lease of half a minute."""
    given = {"target": PULLED, "timeout_sec": 60} | given
    task = add(stage, "0 0 1 1 *", **given)
    trigger(task.task_id)
    wait(stage, 1)
    (leased,) = lease.take("gpu", tenant_id="acme", most=5, worker="w", lease_sec=30)
    return task, leased.run


def now(stage: Stage, run: Run) -> Run:
    return stage.rows()[run.run_id]


FAILED, BACK = Again(Reason.FAILED), Again(Reason.RELEASED)
NOTHING, NEVER = Skipped("nothing"), Dead(Reason.PERMANENT)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (Done(1), Done(1), Told.TAKEN),
        (Done(1), NOTHING, Told.LOST),
        (Done(1), NEVER, Told.LOST),
        (Done(1), FAILED, Told.LOST),
        (Done(1), Stopped(), Told.LOST),
        (NOTHING, NOTHING, Told.TAKEN),
        (NOTHING, Done(1), Told.LOST),
        (NEVER, NEVER, Told.TAKEN),
        (NEVER, Dead(Reason("other")), Told.LOST),
        (NEVER, Done(1), Told.LOST),
        (NEVER, FAILED, Told.LOST),
        (FAILED, FAILED, Told.TAKEN),
        (FAILED, BACK, Told.LOST),
        (FAILED, Done(1), Told.LOST),
        (BACK, BACK, Told.TAKEN),
        (BACK, FAILED, Told.LOST),
    ],
)
def test_of_two_words_for_one_attempt_only_the_same_one_is_taken_again(
    stage: Stage, first: Answer, second: Answer, told: Told
) -> None:
    _, run = fetched(stage)

    assert settle(run.run_id, 1, first, tenant_id="acme") is Told.TAKEN
    came = now(stage, run).life
    assert settle(run.run_id, 1, second, tenant_id="acme") is told

    assert now(stage, run).life == came


@pytest.mark.parametrize(("again", "told"), [(FAILED, Told.TAKEN), (BACK, Told.LOST)])
def test_who_died_of_its_last_failure_has_failed_and_was_not_given_back(
    stage: Stage, again: Answer, told: Told
) -> None:
    _, run = fetched(stage, max_attempts=1)
    settle(run.run_id, 1, FAILED, tenant_id="acme")
    assert said(now(stage, run)) == "dead(attempts_exhausted)"

    assert settle(run.run_id, 1, again, tenant_id="acme") is told


@pytest.mark.parametrize("word", [FAILED, BACK])
def test_who_is_asked_to_stop_and_says_that_it_failed_has_stopped(
    stage: Stage, word: Answer
) -> None:
    _, run = fetched(stage)
    cancel(run.run_id)

    assert settle(run.run_id, 1, word, tenant_id="acme") is Told.TAKEN
    assert settle(run.run_id, 1, word, tenant_id="acme") is Told.TAKEN

    assert said(now(stage, run)) == "cancelled(user)"


def test_who_is_asked_to_stop_and_is_done_is_done(stage: Stage) -> None:
    _, run = fetched(stage)
    cancel(run.run_id)

    assert settle(run.run_id, 1, Done(1), tenant_id="acme") is Told.TAKEN
    assert said(now(stage, run)) == "succeeded"


def _asked(run_id: str, attempt: int, **named: Any) -> list[object]:  # noqa: ANN401 any word
    """Returns what is told to who asks, keeps, and says."""
    named = {"tenant_id": "acme"} | named
    return [
        standing(run_id, attempt, **named),
        extend(run_id, attempt, lease_sec=30, **named),
        settle(run_id, attempt, Done(1), **named),
    ]


def test_who_is_not_its_worker_is_told_so_and_changes_nothing(stage: Stage) -> None:
    task, run = fetched(stage)
    before = now(stage, run).life

    assert _asked(run.run_id, 2) == [Told.LOST] * 3
    assert _asked(run.run_id, 1, tenant_id="other") == [Told.MISSING] * 3
    assert _asked(run.run_id, 1, queues=["cpu"]) == [Told.MISSING] * 3
    assert _asked(f"{task.task_id}.20261118T110000Z", 1) == [Told.MISSING] * 3
    assert now(stage, run).life == before

    told, kept, taken = _asked(run.run_id, 1, queues=["gpu"])
    assert (told, taken) == (Told.TAKEN, Told.TAKEN)
    assert isinstance(kept, Run)
    assert _asked(run.run_id, 1) == [Told.LOST, Told.LOST, Told.TAKEN]


def test_a_run_whose_task_is_gone_is_nobodys(stage: Stage) -> None:
    task, run = fetched(stage)
    for part in ("spec", "cursor"):
        key = typed_item({"task_id": task.task_id, "part": part})
        stage.world.store.delete_item(TableName="tasks", Key=key)

    assert _asked(run.run_id, 1) == [Told.MISSING] * 3


@pytest.mark.parametrize("stops", [False, True])
def test_who_asks_for_more_time_when_its_time_is_over_has_lost_the_run(
    stage: Stage, *, stops: bool
) -> None:
    _, run = fetched(stage, timeout_sec=20)
    if stops:
        cancel(run.run_id)
    wait(stage, 20.9)
    assert isinstance(extend(run.run_id, 1, tenant_id="acme", lease_sec=5), Run)
    wait(stage, 21.1)

    assert extend(run.run_id, 1, tenant_id="acme", lease_sec=5) is Told.LOST
    wanted = "cancelled(user)" if stops else "retrying(timed_out)"
    assert said(now(stage, run)) == wanted


def test_progress_stays_until_another_is_shown(stage: Stage) -> None:
    _, run = fetched(stage)

    for progress, shown in ((None, None), ({"page": 1}, {"page": 1}), (None, {"page": 1})):
        kept = extend(run.run_id, 1, tenant_id="acme", lease_sec=30, progress=progress)
        assert isinstance(kept, Run)
        assert now(stage, run).life.progress == kept.life.progress == shown


def test_what_a_worker_of_ours_runs_is_for_nobody_outside(stage: Stage) -> None:
    stage.takes_sec = lambda _: 10
    task = add(stage, "0 0 1 1 *")
    run = trigger(task.task_id)
    assert run is not None
    wait(stage, 2)

    assert _asked(run.run_id, 1) == [Told.LOST] * 3
    wait(stage, 20)
    assert said(now(stage, run)) == "succeeded"
