"""Tokens of plans: good for their time, and for yesterday's release too."""

from __future__ import annotations

import pytest

from onthedot.records.access import plan_token
from onthedot.records.problems import Problem

NOW_MS = 1_795_003_200_800
WORLD = {"tenant": "acme"}
# The former release counted in seconds.
EXPIRES = [NOW_MS + plan_token.PLAN_MS, NOW_MS // 1000 + 600]


@pytest.mark.parametrize("expires", EXPIRES)
def test_a_plan_is_good_for_ten_minutes(expires: int) -> None:
    token = plan_token.token(b"secret", WORLD, expires)

    plan_token.check(token, b"secret", WORLD, NOW_MS)
    plan_token.check(token, b"secret", WORLD, NOW_MS + 599_000)
    with pytest.raises(Problem, match="good until"):
        plan_token.check(token, b"secret", WORLD, NOW_MS + plan_token.PLAN_MS)


def test_a_plan_says_the_millisecond_that_it_was_made_in() -> None:
    made = [
        plan_token.planned_ms(plan_token.token(b"secret", WORLD, expires)) for expires in EXPIRES
    ]

    assert made == [NOW_MS, NOW_MS // 1000 * 1000]


def test_a_token_that_cannot_be_has_no_moment() -> None:
    assert [plan_token.planned_ms(each) for each in ("", "x.y", "f" * 12 + ".x")] == [None] * 3
