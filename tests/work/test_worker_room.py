"""Room: how many messages there is room for, and until when what may begin."""

from __future__ import annotations

import pytest

from onthedot.work import refill


@pytest.mark.parametrize(
    ("in_hand", "messages"), [(0, 8), (1, 7), (100, 4), (175, 1), (176, 0), (200, 0), (250, 0)]
)
def test_there_is_room_for_full_packs(in_hand: int, messages: int) -> None:
    assert refill.messages(in_hand) == messages


def test_a_python_handler_counts_for_ten() -> None:
    assert refill.weight({"type": "python", "handler": "h"}) == 10
    assert refill.weight({"type": "http"}) == 1


def test_what_is_taken_ends_before_its_invocation() -> None:
    assert refill.fits(0, 840)
    assert refill.fits(540, 300)
    assert not refill.fits(540.1, 300)
    assert not refill.fits(1, 840)


def test_invocations_close_at_different_ages() -> None:
    assert refill.closes_sec(0) == 60
    assert refill.closes_sec(0.5) == 300
    assert refill.closes_sec(1) == 540


@pytest.mark.parametrize(("waited_sec", "delay"), [(-2, 5), (0, 5), (9, 5), (40, 20), (900, 60)])
def test_who_has_waited_for_long_is_looked_at_more_rarely(waited_sec: int, delay: int) -> None:
    assert refill.put_off_sec(1_000_000, 1_000_000 + waited_sec * 1000) == delay
