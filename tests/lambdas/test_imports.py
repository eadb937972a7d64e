"""Each function starts from what is uploaded, with what the template gives it, and soon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from infra import bundle
from tests.infra import deployed

# How much of a processor's time each may take to start: only the API waits for nobody's second.
CPU_MS_MAX = {"dispatch": 300, "work": 300, "bury": 300, "audit": 300, "api": 600}
# What the SDK alone takes of it when nobody else uses this machine. Beside other tests all takes
# up to three times as long, the SDK in the same breath as well: a budget grows by as much.
SDK_MS = 100
TRIES_MAX = 6
# They cost 60 to 180 ms of every cold start; boto3 is a second session beside botocore's, and
# the X-Ray SDK is what a Tracer brings (Powertools imports the class itself everywhere).
TOO_DEAR = {"aws_xray_sdk", "boto3", "pynamodb.models"}
# What the api alone may take the time for.
OF_THE_API = {"pydantic", "pynamodb"}
# The SDK that the Lambda runtime has, and what it needs.
RUNTIME = ("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3")
PROGRAM = """
import json, sys, time
from importlib import import_module
began = time.process_time()
import botocore.session, botocore.client, botocore.httpsession
sdk = time.process_time()
handler = import_module(sys.argv[1]).handler
ended = time.process_time()
ms = {"ms": (ended - began) * 1000, "sdk_ms": (sdk - began) * 1000}
print(json.dumps({**ms, "callable": callable(handler), "modules": list(sys.modules)}))
"""


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the SDK and nothing else of ours."""
    folder = tmp_path_factory.mktemp("runtime")
    for name in RUNTIME:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        installed = origin.parent if origin.name == "__init__.py" else origin
        (folder / installed.name).symlink_to(installed)
    return folder


@pytest.mark.parametrize("function", CPU_MS_MAX)
def test_a_function_imports_from_its_bundle_and_within_its_budget(
    function: str, runtime: Path
) -> None:
    started = [_started(function, runtime)]
    while min(map(_ms, started)) > CPU_MS_MAX[function] and len(started) < TRIES_MAX:
        started.append(_started(function, runtime))

    assert started[0]["callable"]
    assert TOO_DEAR.isdisjoint(started[0]["modules"])
    allowed = OF_THE_API if function == "api" else set()
    assert OF_THE_API.intersection(started[0]["modules"]) == allowed
    assert min(map(_ms, started)) <= CPU_MS_MAX[function]


def test_a_budget_is_set_for_every_function() -> None:
    assert set(CPU_MS_MAX) == set(_functions())


def _ms(started: dict[str, Any]) -> float:
    """Returns what it would have taken with the machine to itself."""
    taken: float = started["ms"] * min(1, SDK_MS / started["sdk_ms"])
    return taken


def _functions() -> dict[str, dict[str, Any]]:
    found = deployed.properties("AWS::Lambda::Function")
    return {each["Handler"].split(".")[1]: each for each in found}


def _started(function: str, runtime: Path) -> dict[str, Any]:
    """Returns no site-packages, nothing of this machine's environment, our files not compiled
    before.
    """
    given = _functions()[function]["Environment"]["Variables"]
    packages = bundle.packages(deployed.settings(**deployed.here()))
    code = next(
        asset for asset in deployed.assembly().glob("asset.*") if (asset / "lambdas").is_dir()
    )
    layers = [packages.common, packages.api] if function == "api" else [packages.common]
    paths = [str(code), *(str(layer / "python") for layer in layers), str(runtime)]
    environment = {
        **{name: value if isinstance(value, str) else name for name, value in given.items()},
        "PYTHONPATH": os.pathsep.join(paths),
    }
    command = [sys.executable, "-S", "-B", "-c", PROGRAM, f"lambdas.{function}"]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
