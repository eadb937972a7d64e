"""`make run` itself, as a process: what it prints and writes, how it stops, what a kill leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from onthedot.local.caller import Caller
from onthedot.local.folder import PROJECT, Folder
from tests.e2e.kit import FINAL, members, sharing_an_assembly, until

# By the example in jobs/.
DECLARED = {"weekday_report"}
STOPPED_SEC = 10
# Alone it takes a quarter of that.
READY_SEC = 90
# A worker that was killed in the middle of a run holds its lease for a third of that.
RECOVERED_SEC = 90


@dataclass(frozen=True, slots=True)
class Running:
    """A `make run`, and what it has printed."""

    process: subprocess.Popen[bytes]
    folder: Folder
    output: Path

    def wait_for(self, text: str, within_sec: float) -> None:
        def reached(seen: str) -> bool:
            assert self.process.poll() is None, seen
            return text in seen

        until(self.output.read_text, reached, within_sec)

    @property
    def caller(self) -> Caller:
        """Returns a program that knows only the run file."""
        about = self.folder.running()
        return Caller(int(about["url"].rpartition(":")[2]), about["key"])

    @property
    def groups(self) -> list[int]:
        return [int(pid) for pid in json.loads(self.folder.children.read_text())]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The tests of this module start it one after another, as a user would."""
    folder = Folder(tmp_path_factory.mktemp("run") / "onthedot")
    with sharing_an_assembly(folder, tmp_path_factory), make_run(folder) as first:
        first.wait_for("Ready", READY_SEC)
        stop(first)
    return folder


@contextmanager
def make_run(folder: Folder) -> Iterator[Running]:
    """Starts it; whatever the test leaves of it is killed."""
    output = folder.root / f"output-{time.time_ns()}"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "onthedot.local", "--port", "0", "--folder", folder.root],
            cwd=PROJECT,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    running = Running(process, folder, output)
    try:
        yield running
    finally:
        kill_everything(running)


def stop(running: Running) -> float:
    """Asks it to stop; gives the seconds it took."""
    began = time.monotonic()
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(STOPPED_SEC * 2) == 0, running.output.read_text()
    return time.monotonic() - began


def kill_everything(running: Running) -> None:
    groups = running.groups if running.folder.children.exists() else []
    for group in [running.process.pid, *groups]:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            continue
    running.process.wait()


def listening(groups: list[int]) -> set[str]:
    """Returns the addresses at which any process of the groups listens, as the kernel writes
    them.
    """
    inodes = {
        str(each.readlink())
        for group in groups
        for pid in members(group)
        for each in Path(f"/proc/{pid}/fd").iterdir()
    }
    found = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in table.read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                found.add(fields[1].partition(":")[0])
    return found


def test_it_shows_each_fire_tells_programs_where_it_is_and_stops_when_asked(folder: Folder) -> None:
    with make_run(folder) as running:
        running.wait_for("Ready", READY_SEC)
        status, schedules = running.caller.ask("GET", "/v1/schedules")
        running.wait_for("every-ten-seconds             succeeded", within_sec=30)
        groups = [running.process.pid, *running.groups]
        addresses = listening(groups)
        mode = folder.run_file.stat().st_mode & 0o777
        took_sec = stop(running)
        left = [pid for group in groups for pid in members(group)]

    assert status == 200
    names = {each["name"] for each in schedules["data"]}
    assert names >= {"every-ten-seconds", "every-minute-in-paris", "every-90-seconds"}
    assert names >= DECLARED
    assert addresses == {"0100007F"}
    assert mode == 0o600
    assert took_sec < STOPPED_SEC
    assert not folder.run_file.exists()
    assert left == []


def test_a_second_one_says_where_the_first_is(folder: Folder) -> None:
    with make_run(folder) as first:
        first.wait_for("Ready", READY_SEC)
        second = subprocess.run(
            [sys.executable, "-m", "onthedot.local", "--port", "0", "--folder", folder.root],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=False,
        )

        assert second.returncode == 1
        assert f"On the Dot already runs: {folder.running()['url']}" in second.stderr


def test_a_part_that_dies_is_started_again(folder: Folder) -> None:
    with make_run(folder) as running:
        running.wait_for("Ready", READY_SEC)
        caller = running.caller
        for group in running.groups:
            os.killpg(group, signal.SIGKILL)
        down = until(lambda: caller.ask("GET", "/v1/health"), lambda seen: seen[0] == 503)
        running.wait_for("Ready again", READY_SEC)

        assert down[1]["code"] == "unavailable"
        assert caller.ask("GET", "/v1/schedules")[0] == 200


def test_after_a_kill_of_everything_the_next_start_finds_tasks_and_runs(folder: Folder) -> None:
    with make_run(folder) as first:
        first.wait_for("Ready", READY_SEC)
        key = first.caller.key
        schedule = {
            "name": "kept",
            "cron": "0 0 1 1 *",
            "target": {"type": "python", "handler": "hello"},
        }
        task_id = first.caller.ask("POST", "/v1/schedules", schedule)[1]["task_id"]
        run_id = first.caller.ask("POST", f"/v1/schedules/{task_id}/trigger", {})[1]["run_id"]
        kill_everything(first)
    with make_run(folder) as second:
        second.wait_for("Ready", READY_SEC)
        caller = second.caller
        found = caller.ask("GET", f"/v1/schedules/{task_id}")[1]
        run = until(
            lambda: caller.ask("GET", f"/v1/runs/{run_id}")[1],
            lambda seen: seen["status"] in FINAL,
            RECOVERED_SEC,
        )

    assert caller.key == key
    assert (found["name"], found["status"]) == ("kept", "active")
    assert run["status"] == "succeeded"


def test_after_ctrl_c_in_a_first_start_the_next_one_works(tmp_path: Path) -> None:
    """Without an assembly of others: the copying of the assets is where it once broke."""
    folder = Folder(tmp_path)
    moments: list[Callable[[Running], object]] = [
        lambda running: "cdk bootstrap" in running.output.read_text(),
        lambda _: next(folder.root.glob("unfinished-*/asset.*/python/*"), None),
        lambda running: "Registering" in running.output.read_text(),
    ]
    left = []
    for reached in moments:
        with make_run(folder) as running:
            until(partial(reached, running), bool, READY_SEC, step_sec=0.02)
            os.killpg(running.process.pid, signal.SIGINT)
            assert running.process.wait(STOPPED_SEC * 2) == 0, running.output.read_text()
            left += [pid for group in running.groups for pid in members(group)]
    with make_run(folder) as last:
        last.wait_for("Ready", READY_SEC)
        status, schedules = last.caller.ask("GET", "/v1/schedules")

    assert left == []
    assert status == 200
    assert {each["name"] for each in schedules["data"]} >= DECLARED
    assert list(folder.root.glob("unfinished-*")) == []
