"""Who may run, who waits and who is turned away, under every overlap policy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.records.conditional_writes import Insert, Update
from onthedot.records.runs.overlap_gate import (
    Enter,
    Gate,
    Have,
    Turned,
    Wait,
    enter,
    guarded,
    parse,
    waits,
    write,
)
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_spec import Task
from tests.schedule.samples import TASK_ID, law, task

ORDER = {key: place for place, key in enumerate("abcdefgh")}


def gate(holders: str = "", waiting: str = "") -> Gate:
    """Returns runs by a letter each; earlier letters are due earlier."""
    return Gate(task_id=TASK_ID, rev=1, holders=tuple(holders), waiting=tuple(waiting))


def policy(overlap: str, most: int | None = 1, *, queue_max: int = 100) -> Task:
    """Returns a task of that overlap."""
    return task(overlap=overlap, max_concurrent=most, queue_max=queue_max)


ALL = [policy("skip"), policy("queue"), policy("cancel_previous"), policy("allow", 2)]


@pytest.mark.parametrize("of_task", ALL)
def test_an_empty_gate_is_entered(of_task: Task) -> None:
    assert enter(gate(), "a", of_task, ORDER) == Enter(gate("a"))


@pytest.mark.parametrize("of_task", ALL)
def test_who_holds_a_place_has_it(of_task: Task) -> None:
    assert enter(gate("ab"), "a", of_task, ORDER) == Have()


@pytest.mark.parametrize(
    ("of_task", "expected"),
    [
        (policy("skip"), Turned(Status.SKIPPED, Reason.OVERLAP)),
        (policy("queue"), Wait(gate("a", "b"))),
        (policy("queue", queue_max=1), Wait(gate("a", "b"))),
        (policy("cancel_previous"), Wait(gate("a", "b"), drop=("a",))),
        (policy("allow", 2), Enter(gate("ab"))),
        (policy("allow", 1), Wait(gate("a", "b"))),
        (policy("skip", 2), Enter(gate("ab"))),
    ],
)
def test_one_runs_already(of_task: Task, expected: object) -> None:
    assert enter(gate("a"), "b", of_task, ORDER) == expected


@pytest.mark.parametrize(
    ("of_task", "expected"),
    [
        (policy("skip"), Turned(Status.SKIPPED, Reason.OVERLAP)),
        (policy("queue"), Wait(gate("a", "bc"))),
        (policy("queue", queue_max=1), Turned(Status.SKIPPED, Reason.QUEUE_FULL)),
        (policy("allow", 1, queue_max=1), Turned(Status.SKIPPED, Reason.QUEUE_FULL)),
        (policy("cancel_previous"), Wait(gate("a", "c"), drop=("a", "b"))),
    ],
)
def test_one_runs_and_another_waits(of_task: Task, expected: object) -> None:
    assert enter(gate("a", "b"), "c", of_task, ORDER) == expected


def test_a_free_place_is_the_first_ones_in_line() -> None:
    queue = policy("queue")

    assert enter(gate("", "ab"), "b", queue, ORDER) == Wait(gate("", "ab"))
    assert enter(gate("", "ab"), "c", queue, ORDER) == Wait(gate("", "abc"))
    entered = replace(gate("a", "b"), stood=("a",))
    assert enter(gate("", "ab"), "a", queue, ORDER) == Enter(entered)


def test_who_is_due_first_goes_first_though_it_came_last() -> None:
    queue = policy("queue")

    assert enter(gate("", "bc"), "a", queue, ORDER) == Enter(gate("a", "bc"))
    assert enter(gate("x", "bc"), "a", queue, {**ORDER, "x": 0}) == Wait(gate("x", "abc"))


def test_a_free_place_is_kept_for_an_older_one_that_has_not_come_yet() -> None:
    queue = policy("queue")

    assert enter(gate("", ""), "b", queue, ORDER, older=lambda: True) == Wait(gate("", "b"))
    assert enter(gate("", "b"), "b", queue, ORDER, older=lambda: True) == Wait(gate("", "b"))


def test_who_waits_already_waits_on_whatever_the_bound() -> None:
    assert enter(gate("a", "bc"), "c", policy("queue", queue_max=1), ORDER) == Wait(gate("a", "bc"))


def test_a_late_older_run_gives_way_to_a_newer() -> None:
    of_task = policy("cancel_previous")

    assert enter(gate("b"), "a", of_task, ORDER) == Turned(Status.CANCELLED, Reason.PREVIOUS)
    assert enter(gate("a", "c"), "b", of_task, ORDER) == Turned(Status.CANCELLED, Reason.PREVIOUS)


def test_of_two_due_together_the_greater_key_is_the_newer() -> None:
    of_task, order = policy("cancel_previous"), {"a": 5, "b": 5}

    assert enter(gate("a"), "b", of_task, order) == Wait(gate("a", "b"), drop=("a",))
    assert enter(gate("b"), "a", of_task, order) == Turned(Status.CANCELLED, Reason.PREVIOUS)


def test_who_waits_for_the_previous_one_asks_for_its_end_again() -> None:
    asked = enter(gate("a", "b"), "b", policy("cancel_previous"), ORDER)

    assert asked == Wait(gate("a", "b"), drop=("a",))


@law
@given(
    holders=st.lists(st.sampled_from("abc"), unique=True, max_size=3),
    waiting=st.lists(st.sampled_from("def"), unique=True, max_size=3),
    key=st.sampled_from("abcdefgh"),
    of_task=st.sampled_from([*ALL, policy("allow", 3), policy("queue", 2, queue_max=2)]),
)
def test_nobody_is_lost_or_doubled_and_no_place_given_twice(
    holders: list[str], waiting: list[str], key: str, of_task: Task
) -> None:
    seen = gate("".join(holders), "".join(waiting))
    entry = enter(seen, key, of_task, ORDER)

    before = {*holders, *waiting}
    if isinstance(entry, Enter | Wait):
        named = [*entry.gate.holders, *entry.gate.waiting]
        dropped = set(entry.drop) if isinstance(entry, Wait) else set()
        assert len(named) == len(set(named))
        assert before | {key} == set(named) | dropped
        assert key in named
    if isinstance(entry, Enter):
        assert len(entry.gate.holders) <= (of_task.max_concurrent or 1)
        assert entry.gate.holders[-1] == key
    if isinstance(entry, Wait):
        assert key in entry.gate.waiting
        assert entry.gate.holders == seen.holders


def test_only_unbounded_allow_has_no_gate_and_nobody_waits_where_runs_are_skipped() -> None:
    assert not guarded(policy("allow", None))
    assert all(guarded(each) for each in ALL)
    assert [waits(each) for each in ALL] == [False, True, True, True]


def test_the_first_write_makes_the_gate_and_each_later_one_names_the_revision() -> None:
    empty = parse(TASK_ID, None)
    made = write(empty, gate("a"))
    changed = write(gate("a"), gate("", "b"))

    assert isinstance(made, Insert)
    assert parse(TASK_ID, made.item) == gate("a")
    assert isinstance(changed, Update)
    assert [(clause.path, clause.value) for clause in changed.clauses] == [(("rev",), 1)]
    assert dict(changed.sets) == {"lists": {"holders": [], "waiting": ["b"]}, "rev": 2}
