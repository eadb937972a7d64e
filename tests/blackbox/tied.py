"""Runs a stack that ends with the tests, however they end: they hold the other end of stdin.

A program of its own: `tied.py <folder> <command…>`. It imports nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PATIENCE_SEC = 30
_STEP_SEC = 0.1


def main(folder: str, *command: str) -> int:
    """Runs the command until it ends or stdin does; 1 says that it had to be killed."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None:
            # Nothing is ever written there: it can be read once the other end is closed.
            if select.select([sys.stdin], [], [], _STEP_SEC)[0]:
                return _stop(process, Path(folder))
    return process.returncode


def _stop(process: subprocess.Popen[bytes], folder: Path) -> int:
    """Asks it to end as Ctrl-C does; nothing of it may outlive the tests where that fails."""
    process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + PATIENCE_SEC
    while process.poll() is None:
        if time.monotonic() > deadline:
            _kill([process.pid, *_recorded(folder)])
            return 1
        time.sleep(_STEP_SEC)
    return 0


def _recorded(folder: Path) -> list[int]:
    try:
        return [int(group) for group in json.loads((folder / "children.json").read_text())]
    except FileNotFoundError:
        return []


def _kill(groups: list[int]) -> None:
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
