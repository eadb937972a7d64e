"""What a handler is told of its run by the worker that called it."""

from __future__ import annotations

import pytest

from onthedot.targets.call import Call
from onthedot.targets.python.cloud_context import context_of
from onthedot.targets.python.signals import Cancelled
from tests.simulation.stage import Stage
from tests.targets.receiver import call_fields


def test_a_handler_sees_that_its_run_was_cancelled(stage: Stage) -> None:
    asked, untouched = (
        context_of(Call(**call_fields(cancelled=lambda answer=answer: answer)))
        for answer in (True, False)
    )

    assert (asked.cancelled, untouched.cancelled) == (True, False), stage
    untouched.heartbeat()
    with pytest.raises(Cancelled, match="somebody asked the run to stop"):
        asked.heartbeat()
