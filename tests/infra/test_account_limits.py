"""What a deployment reserves follows from what the account allows, and it says why it does not."""

from __future__ import annotations

from infra.account_limits import Limits, plan


def test_where_there_is_room_each_function_has_its_own() -> None:
    decided = plan(Limits(at_once=1_000, unreserved=1_000), workers=200)

    assert decided.reserved == {"dispatch": 10, "audit": 2, "work": 200, "api": 50}
    assert "1000 invocations: dispatch 10, audit 2, work 200, api 50" in decided.says


def test_what_this_stack_has_reserved_already_counts_as_room() -> None:
    decided = plan(Limits(at_once=400, unreserved=138, own=262), workers=200)

    assert decided.reserved["work"] == 200


def test_where_workers_do_not_fit_the_minute_has_its_own_and_workers_share() -> None:
    decided = plan(Limits(at_once=300, unreserved=300), workers=200)

    assert decided.reserved == {"dispatch": 10, "audit": 2}
    assert "200 workers may not find room" in decided.says
    assert "L-B99A9384" in decided.says


def test_in_a_new_account_nothing_is_reserved_and_it_says_what_will_happen() -> None:
    decided = plan(Limits(at_once=10, unreserved=10), workers=200)

    assert decided.reserved == {}
    for word in ("10 invocations", "runs start late", "ticks are dropped", "503", "L-B99A9384"):
        assert word in decided.says


def test_lambda_keeps_a_hundred_for_all_other_functions() -> None:
    least = 10 + 2 + 100

    assert plan(Limits(at_once=1_000, unreserved=least), workers=200).reserved
    assert not plan(Limits(at_once=1_000, unreserved=least - 1), workers=200).reserved
