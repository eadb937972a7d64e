"""Starts processes in groups of their own, which end with all that they started.

A record lists them. A stack that was killed leaves it, and the next start ends the rest.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from onthedot.local.folder import PRIVATE_FILE

_STEP_SEC = 0.02
_PROCESSES = Path("/proc")
# Files of a child hold payloads and keys.
_OWNER_ONLY = 0o077


class Children:
    """The processes of one stack."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(
        self, command: Sequence[str | Path], environment: Mapping[str, str], *, log: Path, cwd: Path
    ) -> subprocess.Popen[bytes]:
        """Starts a process that Ctrl-C in our terminal does not reach. We end it ourselves."""
        with _uninterrupted(), open(log, "wb", opener=_private) as output:
            process = subprocess.Popen(  # noqa: S603 programs of this project, by their paths
                command,
                env=environment,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=_OWNER_ONLY,
            )
            self._processes.append(process)
            self._keep()
        return process

    def end(self, process: subprocess.Popen[bytes], patience_sec: float) -> None:
        """Asks a process to end, then ends the rest of its group."""
        _signal(process.pid, signal.SIGTERM)
        _wait(lambda: process.poll() is None, patience_sec)
        _signal(process.pid, signal.SIGKILL)
        process.wait()
        self._processes.remove(process)
        self._keep()

    def end_all(self, patience_sec: float) -> None:
        """Ends them, the latest first: it may need those that were started before it."""
        for process in reversed(self._processes[:]):
            self.end(process, patience_sec)

    def end_leftovers(self) -> int:
        """Ends what a killed stack left running. Returns the number of groups."""
        if not self._record.exists():
            return 0
        recorded: dict[str, str] = json.loads(self._record.read_text())
        left = [int(pid) for pid, born in recorded.items() if _is_ours(int(pid), born)]
        ended = sum(_signal(pid, signal.SIGKILL) for pid in left)
        self._record.unlink()
        return ended

    def _keep(self) -> None:
        beside = self._record.with_suffix(".new")
        beside.write_text(json.dumps({each.pid: _born(each.pid) for each in self._processes}))
        beside.replace(self._record)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C: a process that is started but not recorded would outlive us."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    former = {
        number: signal.signal(number, lambda number, _: asked.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        if asked:
            signal.raise_signal(signal.Signals(asked[0]))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE_FILE)


def _is_ours(pid: int, born: str) -> bool:
    """Tells whether the process is ours. Another process may have its number by now.

    If no process has the number, only our group can: a group's number is not given away.
    """
    return _born(pid) in ("", born)


def _born(pid: int) -> str:
    """Returns when a process was started, in the system's form. Empty if there is none."""
    if _PROCESSES.exists():
        # In ticks since the boot, which is exact. The time in `ps` may change by a second.
        try:
            return (_PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
        except (FileNotFoundError, ProcessLookupError):
            return ""
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 a number
    return answer.stdout.strip()


def _signal(group: int, number: signal.Signals) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def _wait(running: Callable[[], bool], patience_sec: float) -> None:
    deadline = time.monotonic() + patience_sec
    while running() and time.monotonic() < deadline:
        time.sleep(_STEP_SEC)
