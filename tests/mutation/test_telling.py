"""Which histories are played first against a change."""

from __future__ import annotations

from tests.mutation.reached import Point
from tests.mutation.telling import in_order

_A, _B, _C = (Point("m", "f", line) for line in (1, 2, 3))
_MANY, _SAME, _RARE = ("many", 0), ("same", 0), ("rare", 0)


def test_what_another_history_has_not_reached_comes_before_more_of_the_same() -> None:
    reached = {_MANY: frozenset({_A, _B}), _SAME: frozenset({_A, _B}), _RARE: frozenset({_A, _C})}

    order = in_order(reached, dict.fromkeys(reached, 1))

    assert order == [_MANY, _RARE, _SAME]


def test_of_two_that_reach_the_same_the_one_with_fewer_effects_comes_first() -> None:
    reached = {_MANY: frozenset({_A, _B}), _SAME: frozenset({_A, _B})}

    assert in_order(reached, {_MANY: 9, _SAME: 3}) == [_SAME, _MANY]


def test_each_history_comes_once() -> None:
    reached = {("calm", seed): frozenset({_A}) for seed in range(20)}

    assert sorted(in_order(reached, dict.fromkeys(reached, 1))) == sorted(reached)
