"""Worker processes of their own, with handlers of the test's: they can be stopped and killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.tidy.tree import ROOT

_PROGRAM = """
import json, sys
from lambdas.work import handler
print(json.dumps(handler(json.load(sys.stdin), None)))
"""


def write_jobs(folder: Path, handlers: str) -> None:
    """Put a `jobs` package there, in place of the project's own."""
    (folder / "jobs").mkdir()
    head = (
        "import time\nfrom pathlib import Path\nfrom onthedot import OnTheDot\napp = OnTheDot()\n"
    )
    (folder / "jobs" / "__init__.py").write_text(head + handlers)


def begin_work(folder: Path, records: list[dict[str, Any]]) -> subprocess.Popen[str]:
    """Let a process of its own work messages as Lambda would have it do."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", "HERE": str(folder)},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps({"Records": records}))
    process.stdin.close()
    process.stdin = None
    return process
