"""Each rule leaves out exactly the changes that it has a reason for."""

from __future__ import annotations

from tests.mutation.changes import changes
from tests.mutation.decision_modules import modules
from tests.mutation.rules import (
    A_CHECK,
    A_FIGURE,
    A_THOUSANDTH,
    A_TICK,
    A_TYPE,
    by_a_check,
    by_a_figure,
    by_a_thousandth,
    by_a_tick,
    by_its_type,
)


def test_only_the_tick_of_a_clock_is_left_out_by_rule() -> None:
    found = [each for name in modules() for each in changes(name) if by_a_tick(each)]

    assert {"clock.monotonic() >= until", "job.wake_ms <= now_ms"} < {one.before for one in found}
    assert not any("now_ms" not in one.before and "clock." not in one.before for one in found)
    assert len(A_TICK.split()) > 4


def test_assertions_and_the_order_of_figures_are_left_out_by_rule() -> None:
    found = [each for name in modules() for each in changes(name)]

    checks = [each for each in found if by_a_check(each)]
    figures = [each for each in found if by_a_figure(each)]
    assert len(checks) > 5
    assert {each.before for each in checks} == {"True"}
    assert all("⏎     tick." in each.before for each in figures)
    assert {each.module.rpartition(".")[2] for each in figures} == {"dispatcher", "plan_effects"}
    assert all(len(text.split()) > 4 for text in (A_CHECK, A_FIGURE))


def test_only_the_name_of_an_error_that_cannot_be_is_left_out_by_rule() -> None:
    found = [each for name in modules() for each in changes(name) if by_its_type(each)]

    assert found
    assert all("has no " in one.before or "raise LookupError(" in one.source for one in found)
    assert len(A_TYPE.split()) > 4


def test_of_our_own_lengths_of_time_only_a_thousandth_is_left_out_by_rule() -> None:
    found = [each for name in modules() for each in changes(name) if by_a_thousandth(each)]

    assert {"lease_ms = now_ms + LEASE_SEC * 1000"} < {one.source for one in found}
    assert {one.after for one in found} == {"1001"}
    # What a user has chosen, and what is no length of time, is not ours.
    assert not any("timeout_sec" in one.source or "//" in one.source for one in found)
    assert len(A_THOUSANDTH.split()) > 4
