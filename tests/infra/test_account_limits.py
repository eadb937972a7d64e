"""What a deployment reserves follows from what the account allows, and it says why it does not."""

from __future__ import annotations

from infra.account_limits import AUDIT, Limits, plan
from infra.functions import AUDIT_SEC
from onthedot.records.timings import TICK_SEC


def test_where_there_is_room_each_function_of_the_minute_has_its_own() -> None:
    decided = plan(Limits(at_once=1_000, unreserved=1_000), workers=200)

    assert decided.reserved == {"dispatch": 16, "audit": 6, "work": 200}
    assert "1000 invocations: dispatch 16, audit 6, work 200" in decided.says


def test_the_api_is_not_bounded_because_long_polls_of_one_tenant_would_fill_it() -> None:
    assert "api" not in plan(Limits(at_once=10_000, unreserved=10_000), workers=200).reserved


def test_audits_that_take_as_long_as_they_may_overlap_and_one_by_hand_finds_room() -> None:
    assert AUDIT * TICK_SEC > AUDIT_SEC


def test_workers_of_provisioned_pollers_are_bounded_by_their_pollers() -> None:
    assert "work" not in plan(Limits(at_once=1_000, unreserved=1_000), workers=0).reserved


def test_what_this_stack_has_reserved_already_counts_as_room() -> None:
    decided = plan(Limits(at_once=400, unreserved=178, own=222), workers=200)

    assert decided.reserved["work"] == 200


def test_where_workers_do_not_fit_the_minute_has_its_own_and_workers_share() -> None:
    decided = plan(Limits(at_once=300, unreserved=300), workers=200)

    assert decided.reserved == {"dispatch": 16, "audit": 6}
    assert "200 workers may not find room" in decided.says
    assert "L-B99A9384" in decided.says


def test_in_a_new_account_nothing_is_reserved_and_it_says_what_will_happen() -> None:
    decided = plan(Limits(at_once=10, unreserved=10), workers=200)

    assert decided.reserved == {}
    for word in ("10 invocations", "runs start late", "ticks are dropped", "503", "L-B99A9384"):
        assert word in decided.says


def test_lambda_keeps_a_hundred_for_all_other_functions() -> None:
    least = 16 + 6 + 100

    assert plan(Limits(at_once=1_000, unreserved=least), workers=200).reserved
    assert not plan(Limits(at_once=1_000, unreserved=least - 1), workers=200).reserved
