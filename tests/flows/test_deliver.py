"""A target of a kind that nobody knows ends its run for good."""

from __future__ import annotations

from onthedot.core.call import Call
from onthedot.core.policy import Dead
from onthedot.flows.deliver import deliver
from tests.targets.receiver import call_fields


def test_a_kind_of_target_that_this_release_does_not_know_is_dead_and_says_so() -> None:
    answer = deliver(Call(**call_fields(target={"type": "carrier-pigeon"})))

    assert isinstance(answer, Dead)
    assert answer.reason == "permanent"
    assert answer.error is not None
    assert (answer.error["type"], answer.error["message"]) == (
        "UnknownTarget",
        "no target carrier-pigeon",
    )
