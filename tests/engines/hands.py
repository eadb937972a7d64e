"""Worker processes of their own, with handlers of the test's: they can be stopped and killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, TextIO

from tests.tidy.tree import ROOT

_PROGRAM = """
import json, sys
from lambdas.work import handler
print(json.dumps(handler(json.load(sys.stdin), None)))
"""
_POLLER = """
import os, sys
from pathlib import Path
from lambdas.work import handler
from tests.engines.place import Place
place = Place(int(sys.argv[1]))
Path("ready").touch()
while not Path("stop").exists():
    place.poll(lambda event: handler(event, None), wait_sec=1)
"""
# Lines of metrics go where the log goes: a line of the output is an answer.
_SERVER = """
import json, sys
from importlib import import_module
from onthedot.targets.python import job_handlers
handler = import_module("lambdas." + sys.argv[1]).handler
job_handlers.handlers()
answers, sys.stdout = sys.stdout, sys.stderr
print("warm", file=answers, flush=True)
for line in sys.stdin:
    print(json.dumps(handler(json.loads(line), None)), file=answers, flush=True)
"""


def write_jobs(folder: Path, handlers: str) -> None:
    """Puts a `jobs` package there, in place of the project's own."""
    (folder / "jobs").mkdir()
    head = (
        "import time\nfrom pathlib import Path\nfrom onthedot import OnTheDot\napp = OnTheDot()\n"
    )
    (folder / "jobs" / "__init__.py").write_text(head + handlers)


def begin_work(folder: Path, records: list[dict[str, Any]]) -> subprocess.Popen[str]:
    """Lets a process of its own work messages as Lambda would have it do."""
    process = _begin(folder, _PROGRAM)
    assert process.stdin is not None
    process.stdin.write(json.dumps({"Records": records}))
    process.stdin.close()
    process.stdin = None
    return process


def begin_polling(folder: Path, number: int) -> subprocess.Popen[str]:
    """Lets a warm process take a place's messages batch by batch until a file `stop` is there."""
    return _begin(folder, _POLLER, str(number))


def begin_serving(folder: Path, function: str) -> subprocess.Popen[str]:
    """Lets a process say that it is warm, and answer events, a line each, until its input ends.

    Its log is a file: it may be longer than a pipe that nobody reads.
    """
    with (folder / f"{function}.log").open("a") as log:
        return _begin(folder, _SERVER, function, log=log)


def _begin(
    folder: Path, program: str, *arguments: str, log: TextIO | int = subprocess.PIPE
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", "HERE": str(folder)},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
