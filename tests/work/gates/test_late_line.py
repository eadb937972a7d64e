"""The line of late slots: who goes, who stays, and what the gate says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.runs.overlap_gate import Enter, Gate, Have
from onthedot.records.runs.run_row import BEHIND, Run
from onthedot.records.tasks.task_spec import Task
from onthedot.work.gates import late_line
from onthedot.work.gates.late_line import Stay
from tests.schedule.samples import NOON_MS, TASK_ID, run, task

A, B, C = (f"2026-11-18T11:{minute}:00Z" for minute in (50, 51, 59))


def policy(overlap: str = "queue", most: int | None = 1, misfire: str = "all") -> Task:
    """Returns a task that catches up on all, unless told otherwise."""
    return task(misfire=misfire, overlap=overlap, max_concurrent=most)


def late(key: str) -> Run:
    """Returns a slot that was found late before."""
    return replace(run(key=key), origin="catchup")


def gate(
    *holders: str, waiting: tuple[str, ...] = (), late: tuple[str, ...] = (), since: str = ""
) -> Gate:
    """Returns the task's gate."""
    lists = {"holders": holders, "waiting": waiting, "late": late}
    return Gate(task_id=TASK_ID, rev=1, since=since, **lists)


def test_the_oldest_goes_first_and_the_others_stay() -> None:
    line = [A, B]

    entered = replace(gate(A), late=(A,), since=A)
    assert late_line.enter(gate(), late(A), policy(), line) == Enter(entered)
    assert late_line.enter(gate(), late(B), policy(), line) == Stay(gate(since=A), first=A)
    assert late_line.enter(entered, late(A), policy(), line) == Have()


def test_one_that_stays_behind_a_holder_wakes_nobody() -> None:
    assert late_line.enter(gate("x"), late(A), policy(), [A]) == Stay(gate("x", since=A))


def test_the_end_of_a_regular_run_of_a_skip_task_is_not_heard() -> None:
    seen = gate("x")

    assert late_line.enter(seen, late(A), policy("skip"), [A]) == Stay(
        gate("x", since=A), alone=True
    )
    behind = replace(seen, late=("x",))
    assert late_line.enter(behind, late(A), policy("skip"), [A]) == Stay(replace(behind, since=A))


@pytest.mark.parametrize(
    ("seen", "of_task", "expected"),
    [
        (gate(), policy("skip"), 1),
        (gate("x"), policy("skip"), 0),
        (gate("x"), policy("allow", 3), 2),
        (gate("x"), policy("allow", None), 10),
        (gate("x", late=("x",)), policy("allow", None), 9),
    ],
)
def test_the_room_is_what_the_task_allows(seen: Gate, of_task: Task, expected: int) -> None:
    assert late_line.room(seen, of_task) == expected


def test_under_queue_the_due_time_decides_between_the_gate_and_the_line() -> None:
    seen = gate(waiting=(B,), since=A)

    assert not late_line.goes_first(seen, policy("queue"), A)
    assert late_line.goes_first(seen, policy("queue"), C)
    assert late_line.goes_first(seen, policy("allow", 2), A)
    assert not late_line.goes_first(gate(since=A), policy("queue"), C)


@pytest.mark.parametrize(
    ("of_task", "seen", "expected"),
    [
        (policy("skip"), gate(since=A), True),
        (policy("queue"), gate(A, late=(A,)), True),
        (policy("skip"), gate(), False),
        (policy("cancel_previous"), gate(since=A), False),
        (policy("allow"), gate(since=A), False),
        (policy("skip", misfire="latest"), gate(since=A), False),
        # It came to the gate before there was a line.
        (policy("queue"), gate(waiting=(C,), since=A), False),
    ],
)
def test_a_regular_slot_joins_where_it_may_be_turned_away(
    of_task: Task, seen: Gate, expected: object
) -> None:
    assert late_line.joins(run(key=C), of_task, seen, late=False) is expected


def test_a_row_says_that_it_stands_in_line_and_is_written_once() -> None:
    regular = run(key=C)

    seen, write = late_line.noted(regular, policy(), late=False, now_ms=NOON_MS) or (regular, None)
    assert seen.life.waited == BEHIND
    assert write is not None
    assert late_line.noted(seen, policy(), late=False, now_ms=NOON_MS) is None
    caught_up, write = late_line.noted(regular, policy(), late=True, now_ms=NOON_MS) or (seen, None)
    assert caught_up.origin == "catchup"
    assert write is not None
    assert ("origin", "catchup") in write.sets
    assert late_line.noted(caught_up, policy(), late=True, now_ms=NOON_MS) is None


def test_where_nobody_is_turned_away_nobody_stands_behind() -> None:
    planned = replace(run(key=C), life=replace(run(key=C).life, waited=BEHIND))

    assert late_line.is_behind(planned, policy("skip"))
    assert not late_line.is_behind(planned, policy("allow", None))


def test_one_that_came_to_the_gate_as_well_does_not_wait_for_itself() -> None:
    seen = gate(waiting=(A, C))

    entered = late_line.enter(gate(waiting=(A,)), late(A), policy("allow", 2), [A])
    assert entered == Enter(replace(gate(A), late=(A,), since=A))
    stays = late_line.enter(seen, late(A), policy("allow", 2), [A])
    assert stays == Stay(gate(waiting=(C,), since=A), first=C)


def test_who_stays_calls_the_one_that_waits_at_the_gate_for_a_place_that_is_free() -> None:
    seen = gate(waiting=(C,))

    assert late_line.enter(seen, late(A), policy("allow", 2), [A]) == Stay(
        gate(waiting=(C,), since=A), first=C
    )
    full = gate("x", "y", waiting=(C,))
    assert late_line.enter(full, late(A), policy("allow", 2), [A]) == Stay(replace(full, since=A))
