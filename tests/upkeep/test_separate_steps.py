"""Of many that are dealt with in turn, one that fails keeps no other from its turn."""

from __future__ import annotations

import pytest

from onthedot.upkeep.separate_steps import Apart


def test_one_that_fails_keeps_no_other_from_its_turn_and_is_raised_at_the_end() -> None:
    apart, seen = Apart(), list[int]()

    for number in range(4):
        with apart.each(f"number {number}"):
            seen.append(number)
            if number % 2:
                raise ValueError(number)

    assert seen == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="1"):
        apart.end()


def test_where_none_fails_nothing_is_raised() -> None:
    apart = Apart()

    with apart.each("one"):
        pass
    apart.end()

    assert apart.failures == []
