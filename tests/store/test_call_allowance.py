"""A question makes as many calls as it may, and not one more."""

from __future__ import annotations

import pytest

from onthedot.store.call_allowance import Allowance, TooManyCallsError


def test_the_last_call_that_is_allowed_is_made_and_the_next_is_refused() -> None:
    allowance = Allowance(3)
    for _ in range(3):
        allowance.call()

    with pytest.raises(TooManyCallsError, match="more than 3"):
        allowance.call()
