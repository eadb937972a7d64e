"""A local stack as a user starts it: a program that prints its address and its admin key."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# Alone it takes half a minute.
READY_SEC = 300
TIED = Path(__file__).with_name("tied.py")
_ADDRESS = re.compile(r"^ *API +(http://\S+)$", re.MULTILINE)
_KEY = re.compile(r"^ *admin key +(otd_\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Printed:
    """What a started stack has said of itself."""

    url: str
    key: str
    folder: Path
    output: Path


@contextmanager
def started(folder: Path) -> Iterator[Printed]:
    """Starts a stack in a folder, and stops it as Ctrl-C does; it ends with this process, too."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "output"
    command = [sys.executable, "-m", "onthedot.local", "--port", "0", "--folder", str(folder)]
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, str(TIED), str(folder), *command],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    assert process.stdin is not None
    try:
        yield _ready(process, folder, output)
    finally:
        process.stdin.close()
        code = process.wait()
    assert code == 0, f"the stack did not stop by itself: {code}"


def _ready(process: subprocess.Popen[bytes], folder: Path, output: Path) -> Printed:
    deadline = time.monotonic() + READY_SEC
    while True:
        said = output.read_text()
        address, key = _ADDRESS.search(said), _KEY.search(said)
        if address and key:
            return Printed(address[1], key[1], folder, output)
        assert process.poll() is None, said
        assert time.monotonic() < deadline, said
        time.sleep(0.2)
