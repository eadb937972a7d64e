"""Each function starts with what it is given in the cloud and nothing more, and soon."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.tidy.tree import ROOT

# How much of a processor's time each may take to start: only the API waits for nobody's second.
CPU_MS_MAX = {"dispatch": 300, "work": 300, "bury": 300, "audit": 300, "api": 600}
VARIABLES = {
    "TASKS_TABLE": "tasks",
    "RUNS_TABLE": "runs",
    "ACCESS_TABLE": "access",
    "HIGH_QUEUE_URL": "https://sqs/1/high",
    "NORMAL_QUEUE_URL": "https://sqs/1/normal",
    "LOW_QUEUE_URL": "https://sqs/1/low",
    "DEAD_QUEUE_URL": "https://sqs/1/dead",
    "PARALLEL_CALLS": "8",
}
# They cost 60 to 180 ms of every cold start; boto3 is a second session beside botocore's, and
# the X-Ray SDK is what a Tracer brings (Powertools imports the class itself everywhere).
TOO_DEAR = {"aws_xray_sdk", "pynamodb", "boto3"}
PROGRAM = """
import json, sys, time
from importlib import import_module
sys.path.insert(0, sys.argv[2])
before = time.process_time()
handler = import_module(sys.argv[1]).handler
ms = (time.process_time() - before) * 1000
print(json.dumps({"ms": ms, "callable": callable(handler), "modules": list(sys.modules)}))
"""


@pytest.mark.parametrize("function", CPU_MS_MAX)
def test_a_function_imports_alone_and_within_its_budget(function: str) -> None:
    # The first one may still compile; the cloud gets the files compiled.
    started = [_started(function) for _ in range(2)]

    assert started[0]["callable"]
    assert TOO_DEAR.isdisjoint(started[0]["modules"])
    assert ("pydantic" in started[0]["modules"]) == (function == "api")
    assert min(each["ms"] for each in started) <= CPU_MS_MAX[function]


def test_there_is_no_other_function() -> None:
    found = {path.stem for path in (ROOT / "lambdas").glob("*.py")} - {"__init__"}

    assert found == set(CPU_MS_MAX)


def _started(function: str) -> dict[str, Any]:
    command = [sys.executable, "-I", "-c", PROGRAM, f"lambdas.{function}", str(ROOT)]
    done = subprocess.run(command, env=VARIABLES, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
