"""Catching up has a budget of its own, and a circuit that opens when it does not help."""

from __future__ import annotations

import pytest

from onthedot.dispatch.due_tasks import Backlog, parse

NOON_MS = 1_763_467_200_000


def after(backlog: Backlog, *overdue: int) -> Backlog:
    """So many were overdue, tick by tick."""
    for count in overdue:
        backlog = backlog.after_tick(on_time=0, overdue=count, at_ms=NOON_MS)
    return backlog


@pytest.mark.parametrize(
    ("mean", "is_open", "budget"),
    [
        (0, False, 500),
        (250, False, 500),
        (251, False, 502),
        (5_000, False, 10_000),
        (0, True, 50),
        (5_000, True, 1_000),
    ],
)
def test_the_budget_is_twice_the_mean_at_least_500_and_a_tenth_once_open(
    mean: float, budget: int, *, is_open: bool
) -> None:
    assert Backlog(mean=mean, open=is_open).budget == budget


def test_the_mean_follows_what_fires_on_time() -> None:
    backlog = Backlog()
    for _ in range(600):
        backlog = backlog.after_tick(on_time=1_000, overdue=0, at_ms=NOON_MS)

    assert backlog.mean == pytest.approx(1_000, rel=0.001)


@pytest.mark.parametrize(
    ("overdue", "opens"),
    [
        ((501, 502, 503, 504, 505, 506), True),
        ((501, 502, 503, 504, 505), False),
        ((501, 502, 503, 503, 505, 506), False),
        ((495, 496, 497, 498, 499, 500), False),
    ],
)
def test_the_circuit_opens_when_it_grew_five_ticks_running_at_full_budget(
    overdue: tuple[int, ...], *, opens: bool
) -> None:
    assert after(Backlog(), *overdue).open == opens


@pytest.mark.parametrize(
    ("overdue", "stays"),
    [
        ((9, 8, 7, 6, 5, 4), False),
        ((9, 8, 7, 6, 5), True),
        ((9, 8, 7, 7, 5, 4), True),
        ((0,), False),
    ],
)
def test_it_closes_when_it_shrank_five_ticks_running_or_nothing_is_left(
    overdue: tuple[int, ...], *, stays: bool
) -> None:
    assert after(Backlog(open=True), *overdue).open == stays


def test_it_is_stored_and_read_and_begins_empty() -> None:
    backlog = after(Backlog(open=True), 700, 800)

    assert parse(backlog.item()) == backlog
    assert parse(None) == Backlog()


def test_an_item_of_yesterdays_release_has_no_time_and_is_read() -> None:
    older = {"task_id": "backlog", "scheduled_for": "-", "mean": 1.5, "overdue": [3], "open": True}

    assert parse(older) == Backlog(mean=1.5, overdue=(3,), open=True, at_ms=0)
