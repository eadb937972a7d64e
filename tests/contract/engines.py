"""Starts the real engines on loopback and ends what it started, each by its own pid."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
from botocore.config import Config

ROOT = Path(__file__).parents[2]
DYNOXIDE = Path(
    os.environ.get("DYNOXIDE", ROOT / "node_modules" / "@dynoxide" / "linux-x64" / "dynoxide")
)
MINISTACK = Path(os.environ.get("MINISTACK", ROOT / ".venv-cloud" / "bin" / "ministack"))
_START_MAX_SEC = 20.0


@contextmanager
def dynoxide() -> Iterator[str]:
    port = free_port()
    with dynoxide_process(port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def dynoxide_process(port: int, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """On disk by `--db-path`; the test may kill it."""
    command = [str(DYNOXIDE), "serve", "--port", str(port), *options]
    with _server(command, {"TOKIO_WORKER_THREADS": "1"}, port) as process:
        yield process


@contextmanager
def ministack(folder: Path) -> Iterator[str]:
    port = free_port()
    settings = {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "STATE_DIR": str(folder / "state"),
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "localhost",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "0",
        "LOG_LEVEL": "WARNING",
    }
    with _server([str(MINISTACK)], settings, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _server(
    command: list[str], settings: dict[str, str], port: int
) -> Iterator[subprocess.Popen[bytes]]:
    environment = {"PATH": os.environ["PATH"], **settings}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port, process)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_MAX_SEC
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the engine ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("the engine did not start")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@cache
def _session() -> botocore.session.Session:
    """Reads the models of the services once a process: that takes longer than most tests."""
    session = botocore.session.Session()
    session.set_credentials("test", "test")
    return session


def client(service: str, endpoint: str) -> Any:
    return _session().create_client(
        service,
        region_name="us-east-1",
        endpoint_url=endpoint,
        verify=False,
        config=Config(retries={"total_max_attempts": 1}, parameter_validation=False),
    )
