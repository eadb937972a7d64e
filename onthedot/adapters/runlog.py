"""Log lines of handlers: JSON on standard output, each naming its run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from functools import partial

from onthedot.core.context import Log


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
    sys.stdout.write(json.dumps(line, default=str, skipkeys=True) + "\n")
    sys.stdout.flush()
