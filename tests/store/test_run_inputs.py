"""Attempts note by which version they run; replays are given again what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onthedot.api.views import run_view
from onthedot.launch.replay import Wish, replay
from onthedot.launch.trigger import Moment, trigger
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.kept_versions import Use
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.store import run_inputs
from onthedot.store.access import tenant_bounds
from onthedot.store.tasks import read
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done
from onthedot.upkeep.dead_letter import Chosen
from onthedot.upkeep.dead_letters import _purge, find
from tests.simulation.calm import NOON, add, runs, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user

OLD, NEW = {"type": "recording", "at": 1}, {"type": "recording", "at": 2}


def triggered(stage: Stage, **fields: Any) -> tuple[Task, Run]:  # noqa: ANN401 any field
    task = add(stage, "0 0 * * *", **{"target": OLD, "payload": {"n": "old"}} | fields)
    run = trigger(task.task_id)
    assert run is not None
    return task, run


def given(stage: Stage) -> list[tuple[object, object]]:
    return [(each.target, each.payload) for each in stage.deliveries]


def test_a_retry_uses_the_schedule_as_it_is_by_then(stage: Stage) -> None:
    answers: Iterator[Answer] = iter([Again(Reason.FAILED, after_sec=20), Done()])
    stage.answer = lambda _call: next(answers)
    task, run = triggered(stage)
    wait(stage, 5)
    user.patch(task.task_id, payload={"n": "new"}, target=NEW)
    wait(stage, 60)

    life = stage.rows()[run.run_id].life
    assert given(stage) == [(OLD, {"n": "old"}), (NEW, {"n": "new"})]
    assert [life.attempts[0]["version"], life.its_attempt.version] == [1, 2]


def test_a_replay_sends_what_was_sent_to_where_it_is_told(stage: Stage) -> None:
    task, run = triggered(stage)
    wait(stage, 5)
    user.patch(task.task_id, payload={"n": "new"}, target=NEW)

    for number, use in enumerate((Use(), Use(target="sent"), Use(payload="current")), 1):
        replay(run.run_id, Wish(use=use))
        wait(stage, 5 + 5 * number)

    old, new = {"n": "old"}, {"n": "new"}
    assert given(stage)[1:] == [(NEW, old), (OLD, old), (NEW, new)]


def test_a_target_of_its_own_outlives_every_edit_and_retry(stage: Stage) -> None:
    task, run = triggered(stage)
    wait(stage, 5)
    user.patch(task.task_id, target=NEW)
    answers: Iterator[Answer] = iter([Again(Reason.FAILED, after_sec=20), Done()])
    stage.answer = lambda _call: next(answers)

    replay(run.run_id, Wish(use=Use(payload="current", target="sent")))
    wait(stage, 15)
    user.patch(task.task_id, payload={"n": "new"})
    wait(stage, 90)

    assert given(stage)[1:] == [(OLD, {"n": "old"}), (OLD, {"n": "new"})]


def test_a_purge_takes_the_payload_and_leaves_the_target(stage: Stage) -> None:
    task, run = triggered(stage)
    wait(stage, 5)
    stage.answer = lambda _call: Dead(Reason.PERMANENT)
    again = replay(run.run_id, Wish(use=Use(target="sent")))
    wait(stage, 10)
    assert again is not None
    (letter,) = find(task.tenant_id, Chosen(from_ms=0, to_ms=10**13 - 1))

    assert _purge(letter)

    beside = stage.world.store.table("runs").rows.items[task.task_id, again.payload_ref]
    assert "payload" not in beside
    assert "target" in beside
    assert replay(again.run_id) is None


def test_what_its_tenant_may_not_call_any_more_is_not_replayed(stage: Stage) -> None:
    queue = {"type": "sqs", "queue_url": "https://sqs.us-east-1.amazonaws.com/000000000000/theirs"}
    task, run = triggered(stage, target=queue)
    wait(stage, 5)
    tenant_bounds.set_targets(task.tenant_id, [])

    assert replay(run.run_id) is None
    assert [each.replay_of for each in runs(stage, task)] == [""]


def test_a_payload_that_somebody_deleted_is_not_replaced_by_another(stage: Stage) -> None:
    task, run = triggered(stage)
    user.patch(task.task_id, payload={"large": "x" * 40_000})
    wait(stage, 5)
    user.patch(task.task_id, payload={"n": "small"})
    stage.world.bucket.objects.clear()

    assert replay(run.run_id) is None
    assert replay(run.run_id, Wish(use=Use(payload="current"))) is not None


def test_a_run_that_is_newer_than_its_spec_has_it_read_again(stage: Stage) -> None:
    task, _ = triggered(stage)
    user.patch(task.task_id, payload={"n": "new"})

    assert run_inputs.of_version(task, 2).payload == {"n": "new"}
    assert run_inputs.of_version(task, 1).payload == {"n": "old"}


def test_a_patch_of_one_that_never_started_is_of_what_it_would_have_been_given(
    stage: Stage,
) -> None:
    task = add(stage, "0 0 * * *", payload={"n": 1})
    run = trigger(task.task_id, moment=Moment(NOON * 1000, "A", NOON * 1000 + 60_000))
    assert run is not None
    cancel(run.run_id)

    replay(run.run_id, Wish(patch={"more": 2}))
    replay(run.run_id)
    wait(stage, 10)

    assert sorted(str(each.payload) for each in stage.deliveries) == [
        "{'n': 1, 'more': 2}",
        "{'n': 1}",
    ]


def test_what_it_came_to_stays_what_it_was_when_its_target_is_edited(stage: Stage) -> None:
    stage.takes_sec = lambda _call: 20.0
    queue = {"type": "sqs", "queue_url": "https://sqs.us-east-1.amazonaws.com/000000000000/theirs"}
    task, run = triggered(stage, target=queue)
    wait(stage, 5)
    user.patch(task.task_id, target={"type": "recording"})
    wait(stage, 60)

    found = stage.rows()[run.run_id]
    known = read(task.task_id)
    assert known is not None
    assert run_view.summary(found, known.task)["completion"] == "delivered"
