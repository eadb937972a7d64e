"""A local stack as a user starts it: a program that prints its address and its admin key."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# Alone it takes half a minute.
READY_SEC = 300
STOPPED_SEC = 30
_ADDRESS = re.compile(r"^ *API +(http://\S+)$", re.MULTILINE)
_KEY = re.compile(r"^ *admin key +(otd_\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Printed:
    """What a started stack has said of itself."""

    url: str
    key: str
    folder: Path
    output: Path
    pid: int


@contextmanager
def started(folder: Path) -> Iterator[Printed]:
    """Start a stack in a folder, and stop it as Ctrl-C does."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "output"
    command = [sys.executable, "-m", "onthedot.local", "--port", "0", "--folder", str(folder)]
    with output.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=PROJECT, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        yield _ready(process, folder, output)
    finally:
        _stop(process, folder)


def _ready(process: subprocess.Popen[bytes], folder: Path, output: Path) -> Printed:
    deadline = time.monotonic() + READY_SEC
    while True:
        said = output.read_text()
        address, key = _ADDRESS.search(said), _KEY.search(said)
        if address and key:
            return Printed(address[1], key[1], folder, output, process.pid)
        assert process.poll() is None, said
        assert time.monotonic() < deadline, said
        time.sleep(0.2)


def _stop(process: subprocess.Popen[bytes], folder: Path) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOPPED_SEC)
    except subprocess.TimeoutExpired:
        # Nothing of it may outlive the tests, even where stopping fails.
        for group in [process.pid, *json.loads((folder / "children.json").read_text())]:
            with suppress(ProcessLookupError):
                os.killpg(int(group), signal.SIGKILL)
        process.wait()
        raise
