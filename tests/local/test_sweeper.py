"""What is deleted beside a running stack, and what is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from onthedot.local import sweeper
from onthedot.local.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.clear()
    return made


def unpacked(folder: Folder, name: str, *, age_sec: float) -> Path:
    place = folder.scratch / f"ministack-lambda-{name}"
    (place / "code").mkdir(parents=True)
    (place / "_worker.py").write_text("import sys; print('up', flush=True); sys.stdin.read()")
    born = time.time() - age_sec
    os.utime(place, (born, born))
    return place


@contextmanager
def running(place: Path) -> Iterator[None]:
    command = [sys.executable, str(place / "_worker.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield
        process.kill()


def test_what_dead_functions_left_goes_while_the_others_run(folder: Folder) -> None:
    alive = unpacked(folder, "alive", age_sec=3600)
    unpacking = unpacked(folder, "unpacking", age_sec=1)
    dead = unpacked(folder, "dead", age_sec=3600)

    with running(alive):
        sweeper.sweep(folder, time.time())

    assert alive.exists()
    assert unpacking.exists()
    assert not dead.exists()


def test_the_trash_is_emptied(folder: Folder) -> None:
    unpacked(folder, "left", age_sec=0)
    folder.clear()

    sweeper.sweep(folder, time.time())

    assert list(folder.trash.iterdir()) == []


def test_logs_of_runs_go_when_they_are_old_and_the_oldest_first_when_they_are_many(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "_LOGS_BYTES_MAX", 100)
    now = time.time()
    for name, days in (("new", 0), ("older", 1), ("oldest", 2), ("tiny and long ago", 30)):
        log = folder.run_logs / name
        log.write_text("x" * (1 if days == 30 else 50))
        os.utime(log, (now - days * 86_400,) * 2)

    sweeper.sweep(folder, now)

    assert {each.name for each in folder.run_logs.iterdir()} == {"new", "older"}
