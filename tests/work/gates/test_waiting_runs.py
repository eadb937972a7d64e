"""Waiting: a run that cannot start yet is shown so, with what it waits for, and only then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Done
from onthedot.work.gates import gate_items, tenant_line, waiting_runs
from tests.simulation.calm import add, runs, said, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user

YEARLY = "0 0 1 1 *"


def busy(stage: Stage, name: str, **given: Any) -> Task:  # noqa: ANN401 any field
    """Returns a task that nothing fires, whose runs take a minute."""
    stage.takes_sec = lambda _: 60
    return add(stage, YEARLY, name=name, timeout_sec=200, **given)


def started(*tasks: Task) -> list[Run]:
    found = [trigger(task.task_id) for task in tasks]
    return [run for run in found if run]


def now(stage: Stage, *tasks: Task) -> list[str]:
    """Returns what each task's runs are shown as, the oldest first."""
    stage.last_rows = None
    seen = [run for task in tasks for run in runs(stage, task)]
    return [said(run) for run in waiting_runs.shown(seen, clock.now_ms())]


def test_behind_the_run_before_it_waits_for_the_overlap(stage: Stage) -> None:
    task = busy(stage, "queue", overlap="queue")
    started(task)
    wait(stage, 2)
    started(task)
    wait(stage, 5)
    assert now(stage, task) == ["running", "waiting(overlap)"]
    wait(stage, 65)
    assert now(stage, task) == ["succeeded", "running"]


def test_behind_another_of_its_key_it_waits_for_the_key(stage: Stage) -> None:
    key = {"concurrency_key": {"key": "{{payload.customer}}", "max_running": 1}}
    given = {"shown": key, "payload": {"customer": "a"}}
    one, two = busy(stage, "one", **given), busy(stage, "two", **given)
    started(one, two)
    wait(stage, 5)
    assert now(stage, one, two) == ["running", "waiting(concurrency_key)"]
    wait(stage, 65)
    assert now(stage, one, two) == ["succeeded", "running"]


def test_before_its_turn_it_waits_for_the_rate(stage: Stage) -> None:
    rate = {"concurrency_key": {"key": "api", "rate": {"count": 1, "per_sec": 30}}}
    one, two = busy(stage, "one", shown=rate), busy(stage, "two", shown=rate)
    started(one, two)
    wait(stage, 5)
    assert now(stage, one, two) == ["running", "waiting(rate)"]
    wait(stage, 40)
    assert now(stage, one, two) == ["running", "running"]


def test_while_its_tenant_has_its_fill_it_waits_for_the_tenant(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    one, two = busy(stage, "one"), busy(stage, "two")
    started(one, two)
    wait(stage, 5)
    assert now(stage, one, two) == ["running", "waiting(tenant)"]
    wait(stage, 65)
    assert now(stage, one, two) == ["succeeded", "running"]


def test_what_workers_fetch_waits_for_the_tenant_as_long_as_no_permit_is_left(
    stage: Stage,
) -> None:
    tenant_line.set_limit("acme", 1)
    one = busy(stage, "one")
    two = add(stage, YEARLY, name="two", target={"type": "pull", "queue": "reports"})
    started(one)
    wait(stage, 2)
    started(two)
    assert now(stage, one, two) == ["running", "waiting(tenant)"]
    wait(stage, 65)
    assert now(stage, one, two) == ["succeeded", "claimed"]


def test_a_retry_that_waits_for_its_tenant_is_retrying_still(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    one, two = add(stage, YEARLY, name="one", timeout_sec=200), busy(stage, "two")
    stage.answer = lambda call: Again(Reason.FAILED, after_sec=5) if call.attempt == 1 else Done()
    stage.takes_sec = lambda call: 60 if call.task_id == two.task_id else 0.1
    started(one)
    wait(stage, 2)
    started(two)
    wait(stage, 20)

    assert now(stage, one, two) == ["retrying(failed)", "running"]


def test_of_several_it_says_what_it_asks_for_first(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    one, two = busy(stage, "one"), busy(stage, "two", overlap="queue")
    started(one, two)
    wait(stage, 2)
    started(two)
    wait(stage, 5)

    assert now(stage, one, two) == ["running", "waiting(tenant)", "waiting(overlap)"]


def test_what_is_not_due_waits_for_nothing(stage: Stage) -> None:
    task = busy(stage, "one")
    started(task)
    seen = runs(stage, task)

    assert [said(run) for run in waiting_runs.shown(seen, seen[0].life.due_ms - 1)] == ["claimed"]
    assert now(stage, task) == ["claimed"]


def test_a_run_that_is_cancelled_in_a_keys_line_leaves_it_at_once(stage: Stage) -> None:
    key = {"concurrency_key": {"key": "all", "max_running": 1}}
    tasks = [busy(stage, f"t{number}", shown=key) for number in range(2)]
    _, second = started(*tasks)
    wait(stage, 5)
    place = runs(stage, tasks[1])[0].life.key_gate
    assert gate_items.read(place).waiting == (second.run_id,)
    cancel(second.run_id)

    assert gate_items.read(place).waiting == ()


def test_a_run_whose_key_is_edited_leaves_the_line_of_the_old_one(stage: Stage) -> None:
    def key(name: str) -> dict[str, Any]:
        return {"concurrency_key": {"key": name, "max_running": 1}}

    tasks = [busy(stage, f"t{number}", shown=key("old")) for number in range(3)]
    started(*tasks)
    wait(stage, 5)
    place = runs(stage, tasks[1])[0].life.key_gate
    stage.last_rows = None
    user.change(tasks[1].task_id, lambda task, _: _with(task, key("new")))
    wait(stage, 130)

    assert now(stage, *tasks) == ["succeeded", "succeeded", "succeeded"]
    seen = gate_items.read(place)
    assert (seen.holders, seen.waiting) == ((), ())


def _with(task: Task, shown: dict[str, Any]) -> Task:
    return replace(task, shown={**task.shown, **shown})
