"""`python -m bench.first_answer --old REVISION` compares what a start of the api costs.

Each start is a process of its own, in turn of the old release and of this one.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import pytest

from bench.measure import Line, at_most, told
from onthedot.store import aws
from tests.api.kit import SCHEDULE, Api, event
from tests.contract import engines

STARTS = 9
DEARER_MS_MAX = 50
# As in the cloud: the runtime's SDK is compiled, and our code and layers are not. Parts of the
# standard library are compiled as well; that is equal for both.
PROGRAM = """
import json, sys, time
import botocore.session, botocore.client, botocore.httpsession
asked = json.load(sys.stdin)
sys.dont_write_bytecode, sys.pycache_prefix = True, asked["nowhere"]
began = time.process_time(), time.perf_counter()
from lambdas.api import handler
imported = time.process_time(), time.perf_counter()
status = handler(asked["event"], None)["statusCode"]
ended = time.process_time(), time.perf_counter()
assert status == 201, status
print(json.dumps([[a - b for a, b in zip(imported, began)], [a - b for a, b in zip(ended, began)]]))
"""
Start = tuple[float, ...]


def main() -> int:
    """Prints the medians. Returns 1 if this release costs more than it may."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", required=True)
    parser.add_argument("--starts", type=int, default=STARTS)
    asked = parser.parse_args()
    lines = compared(asked.old, asked.starts)
    for line in lines:
        print(f"{line.what:42} {line.measured:>14} {line.limit:>12} {line.verdict}")
    return int(not all(line.holds for line in lines))


def compared(old: str, starts: int) -> list[Line]:
    """Measures both releases in turn."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        engines.dynoxide() as url,
        pytest.MonkeyPatch.context() as settings,
    ):
        _unpack(old, Path(scratch) / "old")
        api = Api.made(settings, url)
        environment = _environment(url)
        found: dict[str, list[Start]] = {"before": [], "now": []}
        for number in range(starts):
            for release, folder in (("before", Path(scratch) / "old"), ("now", engines.ROOT)):
                request = _request(api, f"{release}-{number}", scratch)
                found[release].append(_start(folder, environment, request))
    return [*_lines(found["before"], found["now"])]


def _lines(before: Sequence[Start], now: Sequence[Start]) -> list[Line]:
    """Returns import and first answer, in processor time and in elapsed time."""
    what = ("import, CPU", "import, wall", "import and first answer, CPU", "the same, wall")
    lines = []
    for place, name in enumerate(what):
        was, is_now = (median(start[place] for start in each) for each in (before, now))
        lines += [told(f"{name}, before", was, "ms"), told(f"{name}, now", is_now, "ms")]
        lines.append(at_most(f"{name}, dearer by", is_now - was, DEARER_MS_MAX, "ms"))
    return lines


def _unpack(revision: str, folder: Path) -> None:
    archive = subprocess.run(
        ["git", "archive", revision, "onthedot", "lambdas", "jobs"],
        cwd=engines.ROOT,
        check=True,
        capture_output=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")


def _environment(url: str) -> dict[str, str]:
    names = {f"{name.upper()}_TABLE": aws.table(name) for name in ("tasks", "runs", "access")}
    account = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    where = {"AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": url}
    return {**os.environ, **names, **account, **where}


def _request(api: Api, name: str, scratch: str) -> str:
    """Writes with a new key. It reads the key, its tenant, its minute and the Idempotency-Key."""
    api.secrets.clear()
    headers = {
        "authorization": f"Bearer {api.key()}",
        "content-type": "application/json",
        "idempotency-key": name,
    }
    body = json.dumps(SCHEDULE | {"name": name})
    asked = event("POST /v1/schedules", body, headers)
    return json.dumps({"event": asked, "nowhere": f"{scratch}/nowhere"})


def _start(folder: Path, environment: dict[str, str], request: str) -> Start:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(folder)},
        input=request,
        check=True,
        capture_output=True,
        text=True,
    )
    imported, answered = json.loads(done.stdout)
    return tuple(1000 * taken for taken in (*imported, *answered))


if __name__ == "__main__":
    sys.exit(main())
