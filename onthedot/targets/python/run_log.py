"""Writes the log lines of handlers: JSON on standard output, each with its run's id."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from functools import partial

from onthedot.targets.python.context import Log


def of(names: Mapping[str, object]) -> Log:
    """Returns a log whose lines all carry these fields."""
    return Log(
        info=partial(_write, names, "INFO"),
        warning=partial(_write, names, "WARNING"),
        error=partial(_write, names, "ERROR"),
    )


def stream() -> str:
    """Returns the name of this worker's log stream. Outside Lambda there is none."""
    return os.environ.get("AWS_LAMBDA_LOG_STREAM_NAME", "")


def group() -> str | None:
    """Returns the log group of the workers, if there is one."""
    return os.environ.get("WORK_LOG_GROUP") or None


def _write(names: Mapping[str, object], level: str, message: object, /, **fields: object) -> None:
    """Writes one line. A field may have any name that the line itself does not use."""
    own = {"level": level, "message": message}
    line = own | fields | own | dict(names)
    # One write for each line, so that lines of parallel handlers do not mix.
    text = json.dumps(line, default=str, skipkeys=True) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()
    if folder := os.environ.get("RUN_LOGS"):
        _keep(f"{folder}/{stream()}", text)


def _keep(file: str, text: str) -> None:
    """Writes the line where `logs` finds it: a local cloud has its own names for streams."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{time.time_ns() // 1_000_000} {text}".encode())
    finally:
        os.close(descriptor)
