"""Log lines of handlers: JSON on standard output, each naming its run."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from functools import partial

from onthedot.targets.python.context import Log


def of(names: Mapping[str, object]) -> Log:
    """Give a log whose lines all carry these names."""
    return Log(
        info=partial(_write, names, "INFO"),
        warning=partial(_write, names, "WARNING"),
        error=partial(_write, names, "ERROR"),
    )


def stream() -> str:
    """Tell where this worker's lines are kept; outside a Lambda nobody keeps them."""
    return os.environ.get("AWS_LAMBDA_LOG_STREAM_NAME", "")


def group() -> str | None:
    """Tell which group of logs the workers write to, where there is one."""
    return os.environ.get("WORK_LOG_GROUP") or None


def _write(names: Mapping[str, object], level: str, message: object, /, **fields: object) -> None:
    """A field may be called as it likes, but for what the line itself says."""
    own = {"level": level, "message": message}
    line = own | fields | own | dict(names)
    # One write a line, so that lines of handlers side by side do not mix.
    text = json.dumps(line, default=str, skipkeys=True) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()
    if folder := os.environ.get("RUN_LOGS"):
        _keep(f"{folder}/{stream()}", text)


def _keep(file: str, text: str) -> None:
    """Keep it where `logs` finds it: a local cloud names its streams as it likes."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{time.time_ns() // 1_000_000} {text}".encode())
    finally:
        os.close(descriptor)
