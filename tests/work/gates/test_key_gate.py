"""Concurrency keys: what shares a key shares its places and its rate; the excess waits in order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.records.runs.run_row import Run, row_key
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.store import queue
from onthedot.targets.attempt_outcome import Again, Dead, Done
from onthedot.work.gates import concurrency_key, gate_items
from onthedot.work.gates.concurrency_key import Limit, Starts
from tests.schedule.samples import task as made
from tests.simulation.calm import (
    FREE,
    NOON,
    add,
    purge,
    runs,
    said,
    told,
    unsettle,
    wait,
    waiting_messages,
)
from tests.simulation.faults.faults import ROUGH, Profile
from tests.simulation.stage import Course, Stage, make_stage, make_task, play

CRASHES = Profile(crash_before=0.02, crash_after=0.02)
CUSTOMER = {"key": "{{payload.customer}}", "max_running": 1}


def keyed_task(stage: Stage, name: str, customer: str = "a", **given: Any) -> Task:  # noqa: ANN401 any field
    """Returns a task that nothing fires, under a key of its customer."""
    wanted = {"concurrency_key": given.pop("concurrency_key", CUSTOMER)}
    payload = {"customer": customer}
    return add(stage, "0 0 1 1 *", name=name, payload=payload, shown=wanted, **given)


def started(*tasks: Task) -> list[Run]:
    """Runs each of them now, one after the other."""
    found = [trigger(task.task_id) for task in tasks]
    return [run for run in found if run]


def spans(stage: Stage, tasks: list[Task]) -> list[tuple[int, int]]:
    """Returns from when to when each run worked, in order."""
    lives = [run.life for task in tasks for run in runs(stage, task)]
    return sorted((life.its_attempt.started_ms, life.its_end.ended_ms) for life in lives)


def lists(customer: str) -> tuple[int, int]:
    """Returns how many hold a place of a customer's key, and how many wait for one."""
    fields = {"payload": {"customer": customer}}
    task = made(shown={"concurrency_key": CUSTOMER})
    limit = concurrency_key.limit_of(task, fields)
    assert limit is not None
    seen = gate_items.read(limit.place)
    return len(seen.holders), len(seen.waiting)


def test_runs_of_different_tasks_that_share_a_key_run_one_after_the_other(stage: Stage) -> None:
    tasks = [keyed_task(stage, name) for name in ("one", "two", "three")]
    stage.takes_sec = lambda _: 4
    started(*tasks)
    wait(stage, 60)

    worked = spans(stage, tasks)
    assert len(worked) == 3
    assert all(before[1] <= after[0] for before, after in pairwise(worked))
    assert lists("a") == (0, 0)
    assert waiting_messages(stage) == []


def test_other_keys_do_not_wait(stage: Stage) -> None:
    tasks = [keyed_task(stage, "one", "a"), keyed_task(stage, "two", "b")]
    stage.takes_sec = lambda _: 20
    started(*tasks)
    wait(stage, 10)

    assert [at for at, _ in told(stage)] == [0, 0]
    assert lists("a") == lists("b") == (1, 0)
    wait(stage, 60)


def test_as_many_as_the_key_allows_run_at_once(stage: Stage) -> None:
    two = {"key": "all", "max_running": 2}
    tasks = [keyed_task(stage, f"t{number}", concurrency_key=two) for number in range(5)]
    stage.takes_sec = lambda _: 4
    started(*tasks)
    wait(stage, 90)

    worked = spans(stage, tasks)
    moments = [moment for span in worked for moment in span]
    most = max(sum(begin <= at < end for begin, end in worked) for at in moments)
    assert len(worked) == 5
    assert most == 2


def test_a_retry_keeps_its_place_and_a_death_gives_it_up(stage: Stage) -> None:
    tasks = [keyed_task(stage, "one"), keyed_task(stage, "two")]
    stage.answer = lambda call: (
        Again(Reason.FAILED, after_sec=5) if call.attempt == 1 else Dead(Reason.PERMANENT)
    )
    started(*tasks)
    wait(stage, 90)

    order = [call.run_id.partition(".")[0] for call in stage.deliveries]
    assert order == [tasks[0].task_id] * 2 + [tasks[1].task_id] * 2
    assert lists("a") == (0, 0)


def test_who_is_cancelled_in_the_line_holds_up_nobody(stage: Stage) -> None:
    tasks = [keyed_task(stage, name) for name in ("one", "two", "three")]
    stage.takes_sec = lambda _: 10
    first, second, third = started(*tasks)
    wait(stage, 5)
    assert lists("a") == (1, 2)
    cancel(second.run_id)
    wait(stage, 90)

    after = {run.run_id: said(run) for task in tasks for run in runs(stage, task)}
    assert after[second.run_id] == "cancelled(user)"
    assert after[first.run_id] == after[third.run_id] == "succeeded"


def test_a_task_with_a_gate_of_its_own_passes_both(stage: Stage) -> None:
    queued = keyed_task(stage, "one", overlap="queue", max_concurrent=1)
    other = keyed_task(stage, "two")
    stage.takes_sec = lambda _: 4
    started(other, queued, queued)
    wait(stage, 90)

    worked = spans(stage, [queued, other])
    assert len(worked) == 3
    assert all(before[1] <= after[0] for before, after in pairwise(worked))


def test_a_line_that_is_too_long_is_joined_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency_key, "LINE_MAX", 1)
    tasks = [keyed_task(stage, f"t{number}") for number in range(4)]
    stage.takes_sec = lambda _: 4
    started(*tasks)
    wait(stage, 3)
    assert lists("a") == (1, 1)
    wait(stage, 600)

    worked = spans(stage, tasks)
    assert len(worked) == 4
    assert all(before[1] <= after[0] for before, after in pairwise(worked))
    assert waiting_messages(stage) == []


def test_a_rate_spreads_what_is_too_much_in_order(stage: Stage) -> None:
    rate = {"key": "api", "rate": {"count": 2, "per_sec": 30}}
    tasks = [keyed_task(stage, f"t{number}", concurrency_key=rate) for number in range(5)]
    started(*tasks)
    wait(stage, 200)

    at = [second for second, _ in told(stage)]
    assert len(at) == 5
    assert at[:2] == [0, 0]
    assert all(later - sooner >= 30 for sooner, later in zip(at, at[2:], strict=False))
    # Held for the rest of a second, they use the rate to the full.
    assert at[-1] == 60
    assert waiting_messages(stage) == []


@pytest.mark.parametrize(("count", "per_sec"), [(1, 10), (3, 60), (100, 1), (1_000, 60)])
def test_no_window_has_more_starts_than_the_rate_allows(count: int, per_sec: int) -> None:
    task = made(
        shown={"concurrency_key": {"key": "k", "rate": {"count": count, "per_sec": per_sec}}}
    )
    limit = concurrency_key.limit_of(task, {})
    assert limit is not None
    seen, booked = Starts(place="p"), []
    for number in range(400):
        seen, at_ms = seen.booked(limit, NOON * 1000 + number)
        booked.append(at_ms)

    assert booked == sorted(booked)
    most = min(count, 100)
    assert booked[most] == booked[0] + per_sec * 1000 * most // count + concurrency_key.PROMPT_MS
    ahead = booked[count:]
    assert all(late - soon >= per_sec * 1000 - 1 for soon, late in zip(booked, ahead, strict=False))
    assert len(seen.at_ms) <= 100


def test_a_turn_that_is_taken_late_pushes_those_that_are_booked_behind_it() -> None:
    limit = Limit(place="p", count=2, per_ms=4_000)
    seen, at = Starts(place="p"), NOON * 1000
    for _ in range(2):
        seen, turn_ms = seen.booked(limit, at)
        assert turn_ms == at
    seen, third_ms = seen.booked(limit, at)
    seen = seen.begun({at, at + 1}, at + 600)

    early, told_ms = seen.take(limit, third_ms, third_ms)
    assert (third_ms, told_ms) == (at + 4_050, at + 4_650)
    assert early.taken == seen.taken
    # A run that books now is behind it by as much.
    assert early.booked(limit, at + 4_100)[1] == at + 4_651
    late, turn_ms = early.take(limit, third_ms, at + 4_700)
    assert turn_ms == at + 4_700
    assert [taken_ms for _, taken_ms in late.taken] == [at + 600, at + 4_700]
    # Another message of the run asks for the same turn, which is taken once.
    assert late.take(limit, third_ms, at + 4_900) == (late, at + 4_700)


def test_a_line_of_the_release_before_is_read_on() -> None:
    item = {**concurrency_key.rate_key("p"), "rev": 3, "starts": [1_000, 2_000]}

    assert concurrency_key.starts("p", item) == Starts(place="p", rev=3, at_ms=(1_000, 2_000))


def test_the_key_is_the_tenants_and_of_the_text_that_the_template_gives() -> None:
    task = made(shown={"concurrency_key": {"key": "{{payload.customer}}/{{name}}"}}, name="n")
    place = concurrency_key.limit_of(task, {"payload": {"customer": "a"}, "name": "n"})
    same = concurrency_key.limit_of(task, {"payload": {"customer": "a", "more": 1}, "name": "n"})
    other = concurrency_key.limit_of(task, {"payload": {"customer": "b"}, "name": "n"})

    assert place == same
    assert place != other
    assert isinstance(place, Limit)
    assert place.place.startswith("key#acme#")
    # Releases side by side find the same.
    assert place.place == "key#acme#c176f78e16450770dcb18515c128b1fe"
    assert concurrency_key.limit_of(made(), {}) is None


def _gate_key(customer: str) -> dict[str, str]:
    limit = concurrency_key.limit_of(
        made(shown={"concurrency_key": CUSTOMER}), {"payload": {"customer": customer}}
    )
    assert limit is not None
    return concurrency_key.gate_key(limit.place)


def test_a_place_of_a_key_that_keeps_changing_is_given_up_in_the_end(
    stage: Stage,
) -> None:
    task = keyed_task(stage, "one")
    stage.takes_sec = lambda _: 5
    started(task)
    wait(stage, 3)
    unsettle(stage, _gate_key("a"), "rev", since=3, sec=4)
    wait(stage, 6.5)
    assert (said(runs(stage, task)[0]), lists("a")) == ("succeeded", (1, 0))

    wait(stage, 200)

    assert lists("a") == (0, 0)


def test_who_cannot_enter_or_book_a_key_that_keeps_changing_comes_again(stage: Stage) -> None:
    both = {"key": "a", "max_running": 1, "rate": {"count": 1, "per_sec": 5}}
    task = keyed_task(stage, "one", concurrency_key=both)
    stage.takes_sec = lambda _: 1
    started(task)
    wait(stage, 10)
    limit = concurrency_key.limit_of(task, {})
    assert limit is not None
    unsettle(stage, concurrency_key.gate_key(limit.place), "rev", since=10, sec=1)
    started(task)
    wait(stage, 11)
    assert [said(run) for run in runs(stage, task)] == ["succeeded", "claimed"]
    wait(stage, 100)
    unsettle(stage, concurrency_key.rate_key(limit.place), "rev", since=100, sec=1)
    started(task)
    wait(stage, 101)
    assert [said(run) for run in runs(stage, task)] == ["succeeded", "succeeded", "claimed"]

    wait(stage, 200)

    assert [said(run) for run in runs(stage, task)] == ["succeeded"] * 3
    assert waiting_messages(stage) == []


def test_who_cannot_say_on_its_row_where_it_waits_comes_again(stage: Stage) -> None:
    task = keyed_task(stage, "one")
    stage.takes_sec = lambda _: 5
    started(task)
    wait(stage, 2)
    second = trigger(task.task_id)
    assert second is not None
    unsettle(stage, row_key(second.run_id), "life.tv", since=2, sec=1)
    wait(stage, 3)
    # A cancel that comes now finds no line that the run must leave.
    assert lists("a") == (1, 0)

    wait(stage, 100)

    assert [said(run) for run in runs(stage, task)] == ["succeeded"] * 2


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_in_any_weather_a_place_is_one_run_s_and_nobody_waits_for_ever(seed: int) -> None:
    stage = make_stage(seed, ROUGH if seed % 2 else CRASHES)
    stage.takes_sec = lambda _: 10
    stage.answer = lambda _: Done()
    for number in range(3):
        task = make_task(
            f"t{number}",
            "* * * * *",
            stage.world,
            payload={"customer": "a"},
            shown={"concurrency_key": CUSTOMER},
            max_attempts=50,
            **FREE,
        )
        stage.register(task)
    play(stage, Course(sec=3_000, ticks_until=400))

    found = list(stage.rows().values())
    assert {run.life.status for run in found} <= {"succeeded", "missed", "skipped"}
    assert sum(run.life.status == "succeeded" for run in found) >= 9
    assert _overlapping(found) == []


def _overlapping(found: list[Run]) -> list[tuple[str, str]]:
    """Pairs of runs whose last attempts worked at the same time, by the rows' own words."""
    worked = sorted(
        (run.life.its_attempt.started_ms, run.life.its_end.ended_ms, run.run_id)
        for run in found
        if run.life.status == "succeeded"
    )
    return [(one[2], two[2]) for one, two in pairwise(worked) if two[0] < one[1] - 4_000]


def test_of_one_message_the_run_that_is_due_first_has_the_place(stage: Stage) -> None:
    early, late = (keyed_task(stage, name) for name in ("early", "late"))
    (first,) = started(early)
    purge(stage)
    wait(stage, 5)
    (second,) = started(late)
    purge(stage)
    tickets = tuple(Ticket(each.run_id, 1, each.life.tv) for each in (second, first))
    pack = Pack(due_ms=0, why="start", tickets=tickets, tenant_id=first.tenant_id)
    queue.send([(pack, 0)])
    wait(stage, 60)

    order = [one.run_id for one in stage.deliveries]
    assert order == [first.run_id, second.run_id]
