"""A tenant's quota: so many of its runs are under way at once, the rest waits in line."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.attributes import typed_item
from onthedot.records.runs import run_row, tenant_permits
from onthedot.records.runs.message_pack import of_run
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.runs.tenant_permits import Permit
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.store import clock, ids, table_reads
from onthedot.targets.attempt_outcome import Again, Awaiting, Dead, Done
from onthedot.work.awaited_completion import conclude
from onthedot.work.gates import tenant_line
from onthedot.work.outside import lease, lease_answers
from tests.simulation.calm import (
    FREE,
    add,
    employ,
    go,
    purge,
    runs,
    said,
    sent,
    told,
    wait,
    waiting_messages,
)
from tests.simulation.faults.faults import ROUGH, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Course, Stage, make_stage, make_task, play, staged
from tests.simulation.users import user

CRASHES = Profile(crash_before=0.02, crash_after=0.02)
YEARLY = "0 0 1 1 *"


def one(stage: Stage, name: str, **given: Any) -> Task:  # noqa: ANN401 any field
    """Returns a task that nothing fires."""
    return add(stage, YEARLY, name=name, **given)


def several(stage: Stage, count: int, **given: Any) -> list[Task]:  # noqa: ANN401 any field
    return [one(stage, f"t{number}", **given) for number in range(count)]


def started(*tasks: Task) -> list[Run]:
    """Runs each of them now, one after the other."""
    found = [trigger(task.task_id) for task in tasks]
    return [run for run in found if run]


def now(run: Run) -> Run:
    """Returns the row as it is."""
    item = table_reads.get(run_row.TABLE, run_row.row_key(run.run_id))
    assert item is not None
    return run_row.parse(item)


def most_at_once(stage: Stage, tasks: list[Task]) -> int:
    """Returns how many runs of these worked at the same time."""
    lives = [run.life for task in tasks for run in runs(stage, task)]
    spans = [(life.its_attempt.started_ms, life.its_end.ended_ms) for life in lives]
    return max(sum(begin <= at < end for begin, end in spans) for at, _ in spans)


def permits() -> list[Permit]:
    """Returns those that are held."""
    return [each for each in tenant_line.read("acme").permits.values() if each.holder]


def waiting() -> list[str]:
    """Returns the names of the tasks in line, who is first in it first."""
    return [
        tenant_permits.named(item).partition(".")[0][4:6]
        for item in tenant_line.entries("acme", 100)
    ]


def test_as_many_run_as_the_quota_allows_and_the_rest_in_order(stage: Stage) -> None:
    tenant_line.set_limit("acme", 2)
    tasks = several(stage, 6)
    stage.takes_sec = lambda _: 4
    for task in tasks:
        started(task)
        wait(stage, clock.monotonic() + 0.2)
    assert (len(permits()), waiting()) == (2, ["T2", "T3", "T4", "T5"])
    wait(stage, 60)

    assert most_at_once(stage, tasks) == 2
    assert [call.run_id[4:6] for call in stage.deliveries] == ["T0", "T1", "T2", "T3", "T4", "T5"]
    assert (permits(), waiting(), waiting_messages(stage)) == ([], [], [])
    lives = [run.life for task in tasks for run in runs(stage, task)]
    assert {(life.status, life.starts) for life in lives} == {("succeeded", 1)}


def test_who_loses_a_permit_to_another_takes_the_next_and_joins_no_line(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All begin with the same permit.
    monkeypatch.setattr(ids, "fraction", lambda: 0.0)
    tenant_line.set_limit("acme", 12)
    tasks = several(stage, 12)
    for task in tasks:
        started(task)
        wait(stage, clock.monotonic() + 0.004)
    wait(stage, 30)

    rows = [run.life for task in tasks for run in runs(stage, task)]
    assert {life.status for life in rows} == {"succeeded"}
    assert max(life.its_attempt.started_ms - life.due_ms for life in rows) < 1_000
    written = [key for _, key, _ in stage.world.store.table("runs").rows._log]  # noqa: SLF001
    assert [sort for _, sort in written if sort.startswith("#wait#")] == []


def test_who_waits_starts_as_soon_as_another_ends(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 3)
    stage.takes_sec = lambda _: 4
    started(*tasks)
    wait(stage, 60)

    lives = sorted(
        (run.life for task in tasks for run in runs(stage, task)),
        key=lambda life: life.its_attempt.started_ms,
    )
    gaps = [late.its_attempt.started_ms - soon.its_end.ended_ms for soon, late in pairwise(lives)]
    assert max(gaps) < 1_000


def test_a_row_says_that_its_first_start_waited(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2)
    stage.takes_sec = lambda _: 4
    started(*tasks)
    wait(stage, 30)

    assert [run.life.waited for task in tasks for run in runs(stage, task)] == ["", "line"]


def test_a_tenant_without_a_quota_has_no_permits(stage: Stage) -> None:
    tasks = several(stage, 3)
    started(*tasks)
    wait(stage, 30)

    assert [said(run) for task in tasks for run in runs(stage, task)] == ["succeeded"] * 3
    assert tenant_line.read("acme").permits == {}
    assert {run.life.permit for task in tasks for run in runs(stage, task)} == {""}


def test_who_waits_to_try_again_leaves_its_permit_to_others(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2)
    stage.answer = lambda call: (
        Again(Reason.FAILED, after_sec=30) if "T0" in call.run_id else Done()
    )
    started(*tasks)
    wait(stage, 10)

    assert [at for at, _ in told(stage)] == [0, 0]
    assert permits() == []


def test_a_message_that_does_not_say_whose_it_is_passes_no_quota(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2, timeout_sec=100)
    stage.takes_sec = lambda _: 30
    started(tasks[0])
    wait(stage, 2)
    (run,) = started(tasks[1])
    purge(stage)
    sent(stage, of_run(run, "start").body())
    wait(stage, 10)
    assert (len(permits()), waiting()) == (1, ["T1"])
    wait(stage, 70)

    assert most_at_once(stage, tasks) == 1


def test_a_long_run_keeps_its_permit(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2, timeout_sec=200)
    stage.takes_sec = lambda call: 90 if "T0" in call.run_id else 0.05
    started(*tasks)
    wait(stage, 60)
    assert (len(permits()), waiting()) == (1, ["T1"])
    wait(stage, 100)

    assert most_at_once(stage, tasks) == 1
    assert [said(run) for task in tasks for run in runs(stage, task)] == ["succeeded"] * 2


@pytest.mark.parametrize("end", [cancel, None])
def test_who_is_cancelled_or_paused_in_the_line_holds_up_nobody(stage: Stage, end: Any) -> None:  # noqa: ANN401 a flow
    tenant_line.set_limit("acme", 1)
    first, second, third = several(stage, 3)
    stage.takes_sec = lambda _: 10
    begun = started(first, second, third)
    wait(stage, 5)
    if end:
        end(begun[1].run_id)
    else:
        user.delete(second.task_id)
    wait(stage, 60)

    assert said(now(begun[1])) in ("cancelled(user)", "cancelled(task_deleted)")
    assert [said(now(begun[0])), said(now(begun[2]))] == ["succeeded"] * 2
    assert (permits(), waiting()) == ([], [])


def test_a_slot_that_waits_is_skipped_when_its_task_is_paused(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    long = add(stage, "0 12 * * *", name="long", timeout_sec=200)
    add(stage, "1 12 * * *", name="slot")
    last = one(stage, "t2")
    stage.takes_sec = lambda call: 90 if "LONG" in call.run_id else 0.05
    started(long)
    go(stage, 70)
    started(last)
    wait(stage, 75)
    user.pause(stage.tasks[1].task_id)
    wait(stage, 120)

    assert [said(run) for run in runs(stage, stage.tasks[1])] == ["skipped(paused)"]
    assert [said(run) for run in runs(stage, last)] == ["succeeded"]


def test_another_limit_holds_at_once_and_calls_who_waits(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 5, timeout_sec=100)
    stage.takes_sec = lambda _: 40
    started(*tasks)
    wait(stage, 5)
    assert (len(permits()), len(waiting())) == (1, 4)
    tenant_line.set_limit("acme", 3)
    wait(stage, 7)
    assert (len(permits()), len(waiting())) == (3, 2)
    tenant_line.set_limit("acme", None)
    wait(stage, 9)

    assert (len(permits()), len(waiting())) == (3, 0)
    assert [run.life.status for task in tasks for run in runs(stage, task)] == ["running"] * 5
    wait(stage, 100)
    assert permits() == []


def test_a_lower_limit_counts_what_is_under_way(stage: Stage) -> None:
    tenant_line.set_limit("acme", 4)
    tasks = several(stage, 6)
    stage.takes_sec = lambda call: 20 if int(call.run_id[5]) < 4 else 4
    started(*tasks[:4])
    wait(stage, 2)
    tenant_line.set_limit("acme", 1)
    started(*tasks[4:])
    wait(stage, 60)

    assert most_at_once(stage, tasks[4:]) == 1
    begun = [at for at, _ in told(stage)]
    assert begun[:4] == [0] * 4
    assert min(begun[4:]) >= 20


def test_an_awaiting_run_holds_its_permit_until_it_is_answered(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2, timeout_sec=3_600)
    stage.answer = lambda call: Awaiting(Reason.CALLBACK) if "T0" in call.run_id else Done()
    first, second = started(*tasks)
    wait(stage, 300)
    assert (said(now(first)), said(now(second))) == ("awaiting(callback)", "claimed")
    conclude(now(first), tasks[0], Done())
    wait(stage, 310)

    assert (said(now(first)), said(now(second))) == ("succeeded", "succeeded")
    assert permits() == []


def test_an_awaiting_run_that_gives_way_to_the_next_gives_its_permit_back(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    replaced = one(stage, "t0", overlap="cancel_previous", timeout_sec=3_600)
    other = one(stage, "t1")
    stage.answer = lambda _: Awaiting(Reason.CALLBACK) if len(stage.deliveries) == 1 else Done()
    started(replaced)
    wait(stage, 10)
    started(other)
    wait(stage, 20)
    assert waiting() == ["T1"]
    started(replaced)
    wait(stage, 30)

    assert [said(run) for run in runs(stage, replaced)] == ["cancelled(previous)", "succeeded"]
    assert [said(run) for run in runs(stage, other)] == ["succeeded"]


def test_the_permit_of_a_dead_worker_is_its_run_s_again(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2)
    stage.kills = lambda call: call.attempt == 1 and "T0" in call.run_id
    started(*tasks)
    wait(stage, 100)

    assert [said(run) for task in tasks for run in runs(stage, task)] == ["succeeded"] * 2
    assert [call.attempt for call in stage.deliveries if "T0" in call.run_id] == [2]
    assert min(at for at, _ in told(stage)) <= 27
    assert (permits(), waiting()) == ([], [])


def test_a_run_that_died_for_good_gives_its_permit_back(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    tasks = several(stage, 2)
    stage.answer = lambda call: Dead(Reason.PERMANENT) if "T0" in call.run_id else Done()
    started(*tasks)
    wait(stage, 30)

    assert [said(run) for task in tasks for run in runs(stage, task)] == [
        "dead(permanent)",
        "succeeded",
    ]


def test_what_workers_fetch_counts_too_and_takes_what_is_free(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    pulled = one(stage, "gpu", target={"type": "pull", "queue": "gpu"}, timeout_sec=600)
    other = one(stage, "t1")
    started(pulled, pulled)
    fetch = partial(lease.take, "gpu", tenant_id="acme", most=5, worker="box", lease_sec=60)
    (leased,) = fetch()
    assert fetch() == []
    started(other)
    wait(stage, 50)
    kept = lease_answers.extend(leased.run.run_id, 1, tenant_id="acme", lease_sec=60)
    assert isinstance(kept, Run)
    (permit,) = permits()
    assert (permit.holder, permit.lease_ms) == (leased.run.run_id, kept.life.lease_ms)
    assert [said(each) for each in runs(stage, other)] == ["claimed"]
    lease_answers.settle(leased.run.run_id, 1, Done(), tenant_id="acme")
    wait(stage, 60)

    assert [said(each) for each in runs(stage, other)] == ["succeeded"]
    assert len(fetch()) == 1


def test_a_rate_books_no_turn_for_who_has_no_permit(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    rated = {"concurrency_key": {"key": "api", "rate": {"count": 1, "per_sec": 20}}}
    tasks = several(stage, 4, shown=rated)
    stage.takes_sec = lambda _: 1
    started(*tasks)
    wait(stage, 200)

    begun = [at for at, _ in told(stage)]
    assert len(begun) == 4
    assert all(late - soon >= 20 for soon, late in pairwise(begun))
    assert begun[-1] <= 100


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_in_any_weather_no_more_run_than_may_and_nobody_waits_for_ever(seed: int) -> None:
    stage = make_stage(seed, ROUGH if seed % 2 else CRASHES)
    stage.takes_sec = lambda _: 10
    limit = {"task_id": "permit#acme", "scheduled_for": "#limit", "most": 2}
    stage.world.store.put_item(TableName="runs", Item=typed_item(limit))
    for number in range(4):
        stage.register(make_task(f"t{number}", "* * * * *", stage.world, max_attempts=50, **FREE))
    play(stage, Course(sec=3_000, ticks_until=400))

    found = list(stage.rows().values())
    assert {run.life.status for run in found} <= {"succeeded", "missed", "skipped"}
    assert sum(run.life.status == "succeeded" for run in found) >= 12


def test_a_partition_of_permits_that_is_busy_costs_no_run_a_second_call() -> None:
    hot = Outage(from_sec=20, for_sec=25, partition=tenant_permits.partition("acme"))
    stage = make_stage(1, Profile(outages=(hot,)))
    with staged(stage):
        employ(stage)
        tenant_line.set_limit("acme", 5)
        tasks = several(stage, 8)
        stage.takes_sec = lambda _: 4
        started(*tasks)
        wait(stage, 18)
        started(*tasks)
        wait(stage, 300)
        lives = [run.life for task in tasks for run in runs(stage, task)]
        left = permits()
        stage.world.close()

    assert stage.world.bugs() == []
    assert {(life.status, life.starts) for life in lives} == {("succeeded", 1)}
    assert len(stage.deliveries) == 16
    assert left == []
