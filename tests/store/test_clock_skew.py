"""The store's whole seconds bound how far this machine's clock is off, and never mislead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.store.clock import Skew


@pytest.mark.deep
@given(
    offset_ms=st.integers(-10_000, 10_000),
    calls=st.lists(
        st.tuples(st.integers(0, 60_000), st.integers(0, 500), st.integers(0, 500)), min_size=1
    ),
)
def test_the_true_offset_always_lies_between_the_bounds(
    offset_ms: int, calls: list[tuple[int, int, int]]
) -> None:
    skew = Skew()
    for local_ms, there_ms, back_ms in calls:
        true_ms = local_ms + there_ms + offset_ms
        skew = skew.seen(true_ms // 1000, local_ms, local_ms + there_ms + back_ms)

    assert skew.low_ms <= offset_ms <= skew.high_ms
    assert skew.known
    assert abs(skew.offset_ms - offset_ms) <= max(skew.half_width_ms + 1, abs(offset_ms))
    if abs(offset_ms) <= 2_000:
        assert not skew.hopeless


def test_answers_over_a_second_narrow_it_to_their_distance() -> None:
    skew = Skew()
    for local_ms in range(0, 2_000, 50):
        skew = skew.seen((local_ms + 700) // 1000, local_ms, local_ms + 4)

    assert skew.half_width_ms <= 27
    assert abs(skew.offset_ms - 700) <= 27


def test_a_clock_that_may_be_right_is_left_alone() -> None:
    assert Skew().offset_ms == 0
    assert not Skew().known
    assert Skew(-400, 600).offset_ms == 0


def test_answers_that_contradict_each_other_correct_nothing() -> None:
    skew = Skew(5_000, 4_000)

    assert (skew.known, skew.offset_ms, skew.hopeless) == (False, 0, False)


@pytest.mark.parametrize(
    ("skew", "hopeless"),
    [
        (Skew(1_500, 2_500), False),
        (Skew(2_001, 2_900), True),
        (Skew(-2_900, -2_001), True),
        (Skew(-2_500, -2_000), False),
        (Skew(), False),
    ],
)
def test_only_a_clock_that_is_off_beyond_doubt_is_hopeless(skew: Skew, *, hopeless: bool) -> None:
    assert skew.hopeless == hopeless


def test_a_clock_that_is_off_by_a_little_beyond_doubt_is_corrected_from_that_side() -> None:
    assert Skew(1, 3_001).offset_ms == 501
    assert Skew(-3_001, -1).offset_ms == -501
    assert Skew(0, 3_000).offset_ms == Skew(-3_000, 0).offset_ms == 0
    assert Skew(1, 11).offset_ms == 6


def test_a_worker_adds_nothing_to_a_clock_that_may_be_right() -> None:
    assert Skew(-400, 600).offset_never_early_ms == 0
    assert Skew(1, 3_001).offset_never_early_ms == 1


def test_how_unsure_a_clock_is_is_half_of_what_lies_between_its_bounds() -> None:
    assert Skew(-400, 600).half_width_ms == 500
