"""Deletes files that nothing needs, beside the running stack and at the lowest priority.

Run as a program on a stack's folder, it goes on until it is ended.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from onthedot.local.children import Children
from onthedot.local.folder import PROJECT, Folder

_EVERY_SEC = 20
# Until then a start has the disk to itself.
_FIRST_SEC = 10
# Seconds. A Lambda with a younger folder may still be unpacking, without a process.
_YOUNG_SEC = 300
_LAMBDAS = "ministack-lambda-*"
# Lists all processes with their whole command lines.
_PROCESSES = ("ps", "-e", "-ww", "-o", "args=")
# Seconds of work, then the same time of rest: the stack comes first on the disk.
_SHARE_SEC = 0.1
_LOGS_KEPT_SEC = 7 * 86_400
_LOGS_BYTES_MAX = 100_000_000


def start(folder: Folder, children: Children) -> None:
    """Starts it on a stack's folder."""
    command = [sys.executable, "-m", "onthedot.local.sweeper", str(folder.root.absolute())]
    environment = {"PATH": os.environ["PATH"]}
    children.start(command, environment, log=folder.log("sweeper"), cwd=PROJECT)


def sweep(folder: Folder, now: float) -> None:
    """Deletes the trash, the folders of dead Lambdas, and old logs of runs."""
    for left in (*_dead(folder.scratch, now), *folder.trash.glob("*")):
        _delete(left)
    for log in _old_logs(folder.run_logs, now):
        log.unlink(missing_ok=True)


def _dead(scratch: Path, now: float) -> Iterator[Path]:
    """Yields the folders that no process was started from. The emulator never reuses one."""
    old = [each for each in scratch.glob(_LAMBDAS) if _age_sec(each, now) > _YOUNG_SEC]
    listed = subprocess.run(_PROCESSES, capture_output=True, text=True, check=True)  # noqa: S603 no words of anybody's
    yield from (each for each in old if f"{each}/" not in listed.stdout)


def _delete(folder: Path) -> None:
    began = time.monotonic()
    for place, _, files in os.walk(folder, topdown=False):
        for name in files:
            Path(place, name).unlink(missing_ok=True)
            if time.monotonic() - began > _SHARE_SEC:
                time.sleep(_SHARE_SEC)
                began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)


def _old_logs(logs: Path, now: float) -> Iterator[Path]:
    """Yields the oldest logs, down to the size that may be kept."""
    kept_bytes = 0
    for log in sorted(logs.glob("*"), key=lambda each: _age_sec(each, now)):
        kept_bytes += log.stat().st_size
        if kept_bytes > _LOGS_BYTES_MAX or _age_sec(log, now) > _LOGS_KEPT_SEC:
            yield log


def _age_sec(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except FileNotFoundError:
        return 0


def main(folder: Folder) -> None:
    os.nice(19)
    time.sleep(_FIRST_SEC)
    while True:
        sweep(folder, time.time())
        time.sleep(_EVERY_SEC)


if __name__ == "__main__":
    main(Folder(Path(sys.argv[1])))
