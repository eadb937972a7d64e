"""The stack of these tests ends with them, also where nothing of theirs can stop it any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blackbox.stack import TIED
from tests.blackbox.user import until

# Stands for the stack: says who it is, and takes Ctrl-C as the word to end.
STACK = """
import os, pathlib, signal, sys, time
def stop(*_):
    sys.exit(0)
signal.signal(signal.SIGINT, stop)
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(60)
"""
# Stands for the tests: starts the stack as they do, and does not come back.
TESTS = """
import subprocess, sys, time
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, start_new_session=True)
time.sleep(60)
"""


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # Its new parent may not have looked at how it ended.
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_stack_ends_with_tests_that_are_killed(tmp_path: Path, end: signal.Signals) -> None:
    said = tmp_path / "pid"
    stack = [sys.executable, "-c", STACK, str(said)]
    command = [sys.executable, "-c", TESTS, sys.executable, str(TIED), str(tmp_path), *stack]
    with subprocess.Popen(command, start_new_session=True) as tests:
        pid = int(until(lambda: said.read_text() if said.exists() else "", bool, 20, 0.05))
        assert lives(pid)
        tests.send_signal(end)

    until(lambda: lives(pid), lambda seen: not seen, 20, 0.05)
