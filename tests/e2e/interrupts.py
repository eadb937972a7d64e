"""`make interrupts`: Ctrl-C at many moments of a first `make run`; the next start must work."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from onthedot.local.caller import Caller
from onthedot.local.folder import PROJECT, Folder
from tests.e2e.kit import FINAL, HELLO, members

READY_SEC = 300
ENDED_SEC = 60
_LONG_AGO = 1_577_836_800
# What `make setup` makes; a clone that borrows it begins behind the setup.
ENVIRONMENTS = (".venv", ".venv-cloud", ".venv-uv", "node_modules")


@dataclass(frozen=True, slots=True)
class Clone:
    """The project's files in a place of their own, as a user has them after `git clone`."""

    root: Path

    @property
    def folder(self) -> Folder:
        return Folder(self.root / ".onthedot")

    @contextmanager
    def make_run(self) -> Iterator[subprocess.Popen[bytes]]:
        """Starts it as a terminal does: make leads the group that Ctrl-C goes to."""
        with (self.root / "output").open("wb") as output:
            process = subprocess.Popen(
                ["make", "run", "PORT=0"],
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            interrupt(process)

    def printed(self) -> str:
        return (self.root / "output").read_text(errors="replace")

    def begin_anew(self) -> None:
        """Leaves nothing of former starts but what was installed."""
        for made in (".cdk", ".onthedot", "cdk.out"):
            shutil.rmtree(self.root / made, ignore_errors=True)

    def stopped_after(self, seconds: float) -> str:
        """Press Ctrl-C at that moment, and give the last line that was printed before."""
        with self.make_run() as process:
            began = time.monotonic()
            while time.monotonic() - began < seconds and process.poll() is None:
                time.sleep(0.05)
            before = self.printed().strip().splitlines()
        left = self.left()
        assert not left, f"Ctrl-C after {seconds:.1f} s left {left} running"
        return before[-1].strip() if before else "nothing"

    def left(self) -> list[int]:
        """Returns the processes on record that still run."""
        record = self.folder.children
        groups = json.loads(record.read_text()) if record.exists() else []
        return [pid for group in groups for pid in members(int(group))]

    def works(self) -> float:
        """Starts it and runs a handler; gives the seconds to Ready."""
        began = time.monotonic()
        with self.make_run() as process:
            while "  Ready" not in self.printed():
                assert process.poll() is None, self.printed()
                assert time.monotonic() - began < READY_SEC, self.printed()
                time.sleep(0.05)
            took = time.monotonic() - began
            about = self.folder.running()
            self._runs(Caller(int(about["url"].rpartition(":")[2]), about["key"]))
        return took

    @staticmethod
    def _runs(caller: Caller) -> None:
        status, listed = caller.ask("GET", "/v1/schedules")
        assert status == 200, listed
        assert len(listed["data"]) >= 3, listed
        body = {"name": "asked", "cron": "0 0 1 1 *", "target": HELLO}
        status, made = caller.ask("POST", "/v1/schedules", body)
        assert status == 201, made
        run = caller.ask("POST", f"/v1/schedules/{made['task_id']}/trigger", {})[1]
        deadline = time.monotonic() + 60
        while run.get("status") not in FINAL:
            assert time.monotonic() < deadline, run
            time.sleep(0.2)
            run = caller.ask("GET", f"/v1/runs/{run['run_id']}")[1]
        assert run["status"] == "succeeded", run


@contextmanager
def cloned(*, installed: bool) -> Iterator[Clone]:
    """Copies what git would, without the setup, or with this folder's own."""
    with TemporaryDirectory() as place:
        root = Path(place) / "onthedot"
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / name, root / name)
            # Older than what is installed: a borrowed environment must not be made again.
            os.utime(root / name, (_LONG_AGO, _LONG_AGO))
        for name in ENVIRONMENTS if installed else ():
            (root / name).symlink_to(PROJECT / name)
        yield Clone(root)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C: the whole group of the terminal hears it."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    process.wait(ENDED_SEC)


def of_setup(count: int) -> None:
    """Interrupts `make run` in a clone in which nothing is installed yet."""
    with cloned(installed=False) as clone:
        whole_sec = clone.works()
        ready_sec = _first_ready_sec(clone)
    setup_sec = whole_sec - ready_sec
    print(f"setup takes {setup_sec:.1f} s, the first start {ready_sec:.1f} s")
    for number in range(count):
        with cloned(installed=False) as clone:
            _round(clone, setup_sec * (number + 0.5) / count)


def of_start(count: int) -> None:
    """Interrupts a first `make run` behind its setup."""
    with cloned(installed=True) as clone:
        ready_sec = clone.works()
        print(f"a first start takes {ready_sec:.1f} s")
        for number in range(count):
            clone.begin_anew()
            _round(clone, ready_sec * (number + 0.5) / count)


def _first_ready_sec(clone: Clone) -> float:
    (line,) = (line for line in clone.printed().splitlines() if line.endswith("  Ready"))
    return float(line.split()[0])


def _round(clone: Clone, moment_sec: float) -> None:
    last = clone.stopped_after(moment_sec)
    took = clone.works()
    print(f"Ctrl-C at {moment_sec:5.1f} s ({last}): the next start is ready in {took:.1f} s")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="make interrupts", description=__doc__)
    parser.add_argument("--setups", type=int, default=4, help="moments of the setup (4)")
    parser.add_argument("--starts", type=int, default=16, help="moments of the start (16)")
    asked = parser.parse_args()
    # In a shell's background Ctrl-C is ignored, and children would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked.starts:
        of_start(asked.starts)
    if asked.setups:
        of_setup(asked.setups)
    print(f"{asked.starts + asked.setups} interrupted, and each next start worked")


if __name__ == "__main__":
    main()
