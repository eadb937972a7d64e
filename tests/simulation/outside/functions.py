"""Functions of the user's, as Lambda answers for them: values, errors of theirs, or their end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer, Done


@dataclass(frozen=True, slots=True)
class Said:
    """The payload of an answer, its mark of an error, and what both mean."""

    text: str
    means: Answer
    error: str = ""


def _failed(kind: str) -> Again:
    return Again(Reason.FAILED, {"type": kind})


def drawn(random: Random, run_id: str, attempt: int) -> Said:
    """Draws what a function says to one request; mostly it returns."""
    value = {"run": run_id, "attempt": attempt, "number": random.getrandbits(16)}
    python = {"errorMessage": "no", "errorType": "KeyError", "stackTrace": ["  File job.py", "x"]}
    node = {"errorMessage": "no", "errorType": "RangeError", "trace": ["RangeError: no", "at x"]}
    killed = {"errorMessage": "RequestId: 1 Error: Runtime exited with error: signal: killed"}
    sayings = [
        Said(json.dumps(value), Done(value)),
        Said("", Done(None)),
        Said("plain text", Done("plain text")),
        Said(json.dumps(python), _failed("KeyError"), "Handled"),
        Said(json.dumps(node), _failed("RangeError"), "Unhandled"),
        Said(json.dumps(killed), _failed("FunctionError"), "Unhandled"),
        Said('"out of words"', _failed("FunctionError"), "Unhandled"),
    ]
    return random.choices(sayings, weights=[16, 2, 1, 3, 2, 1, 1])[0]


def takes_sec(random: Random, timeout_sec: int) -> float:
    """Some take longer than their run may, and go on."""
    return random.choices(
        [0.05, random.uniform(0.1, timeout_sec * 0.8), timeout_sec * 1.5], weights=[6, 3, 1]
    )[0]
