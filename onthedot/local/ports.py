"""Finds free ports on loopback, and waits for servers to open theirs."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

_START_MAX_SEC = 30.0
_STEP_SEC = 0.02


class StartError(Exception):
    """A server of the stack did not start."""


def free() -> int:
    """Returns a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns once the process serves at its port, or raises with the reason."""
    deadline = time.monotonic() + _START_MAX_SEC
    while not _served(port):
        if process.poll() is not None:
            raise StartError(f"It ended with {process.returncode}: {log} says why.")
        if time.monotonic() > deadline:
            raise StartError(f"Nothing answered at port {port}: {log} may say why.")
        time.sleep(_STEP_SEC)


def _served(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
