"""Processes of a stack: ended with all they started, and found again after a kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from onthedot.local.children import Children

# Starts a child of its own, says its pid, and ends for no polite request.
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def children(tmp_path: Path) -> Children:
    return Children(tmp_path / "children.json")


def stubborn(children: Children, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Returns a process and the pid of the one that it started."""
    log = folder / "log"
    process = children.start([sys.executable, "-c", STUBBORN], {}, log=log, cwd=folder)
    assert soon(lambda: log.read_text().endswith("\n"))
    return process, int(log.read_text())


def soon(reached: Callable[[], object]) -> object:
    deadline = time.monotonic() + 10
    while not reached() and time.monotonic() < deadline:
        time.sleep(0.02)
    return reached()


def gone(pid: int) -> bool:
    """A zombie that nobody has collected is gone too."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return state.stdout.strip()[:1] in (b"", b"Z")


def test_a_child_that_will_not_end_is_killed_with_all_it_started(
    children: Children, tmp_path: Path
) -> None:
    process, grandchild = stubborn(children, tmp_path)

    children.end(process, patience_sec=0.1)

    assert process.returncode is not None
    assert soon(lambda: gone(grandchild))


def test_all_are_ended_the_latest_first(children: Children, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    waiting = "import signal, sys, time, pathlib\n"
    waiting += "def end(*_): open(sys.argv[2], 'a').write(sys.argv[1]); sys.exit()\n"
    waiting += "signal.signal(signal.SIGTERM, end); print('up', flush=True); time.sleep(60)"
    for name in ("a", "b"):
        command = [sys.executable, "-c", waiting, name, str(ended)]
        children.start(command, {}, log=tmp_path / name, cwd=tmp_path)
        assert soon((tmp_path / name).read_text)

    children.end_all(patience_sec=30)

    assert ended.read_text() == "ba"
    assert json.loads((tmp_path / "children.json").read_text()) == {}


def test_what_a_killed_stack_left_is_ended_by_the_next(children: Children, tmp_path: Path) -> None:
    process, grandchild = stubborn(children, tmp_path)

    ended = Children(tmp_path / "children.json").end_leftovers()

    assert ended == 1
    assert process.wait(5) != 0
    assert soon(lambda: gone(grandchild))


def test_a_child_of_a_dead_leader_is_ended_too(children: Children, tmp_path: Path) -> None:
    process, grandchild = stubborn(children, tmp_path)
    process.kill()
    process.wait()

    assert Children(tmp_path / "children.json").end_leftovers() == 1
    assert soon(lambda: gone(grandchild))


def test_a_stranger_that_has_the_number_now_is_left_alone(tmp_path: Path) -> None:
    record = tmp_path / "children.json"
    record.write_text(json.dumps({os.getpid(): "1"}))

    assert Children(record).end_leftovers() == 0
    assert not record.exists()


def test_a_child_that_ended_leaves_no_record(children: Children, tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = children.start([sys.executable, "-c", "print(1)"], {}, log=log, cwd=tmp_path)
    process.wait()
    children.end(process, patience_sec=1)

    assert json.loads((tmp_path / "children.json").read_text()) == {}
    assert log.read_text() == "1\n"
