"""Deliver: a run's target is called, and whatever comes of it is a value."""

from __future__ import annotations

from collections.abc import Callable

from onthedot.adapters.targets import python, recording
from onthedot.core.call import Call
from onthedot.core.policy import Answer, Dead, error_of

_TYPES: dict[str, Callable[[Call], Answer]] = {
    "python": python.call,
    "recording": recording.call,
}


def deliver(call: Call) -> Answer:
    """Call the target by its type."""
    call_target = _TYPES.get(call.target["type"])
    if call_target is None:
        return Dead("permanent", error_of("UnknownTarget", f"no target {call.target['type']}"))
    return call_target(call)
