"""What a local stack leaves in its folder, and who may use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from onthedot.local.children import Children
from onthedot.local.folder import AlreadyRunningError, Folder, write_secret

HOLDER = """
import sys
from pathlib import Path
from onthedot.local.children import Children
from onthedot.local.folder import Folder
with Folder(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "stack")


def test_a_second_stack_is_told_where_the_first_one_is(folder: Folder) -> None:
    with folder.held():
        about = {"url": "http://127.0.0.1:8787", "key": "otd_x", "pid": 4711}
        write_secret(folder.run_file, json.dumps(about))

        with pytest.raises(AlreadyRunningError, match=r"http://127\.0\.0\.1:8787, pid 4711"):
            folder.held().__enter__()


def test_a_second_stack_during_the_start_of_the_first_is_told_to_wait(folder: Folder) -> None:
    with folder.held(), pytest.raises(AlreadyRunningError, match="is starting or stopping"):
        folder.held().__enter__()


def test_the_folder_of_a_killed_stack_is_free(folder: Folder) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(AlreadyRunningError):
        folder.held().__enter__()

    holder.kill()
    holder.communicate()

    with folder.held():
        pass


def test_only_its_owner_reads_a_secret(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("old, and open to all")

    write_secret(path, "otd_x")

    assert path.read_text() == "otd_x"
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_folder_and_what_children_make_in_it_is_its_owners_alone(folder: Folder) -> None:
    folder.root.mkdir(mode=0o755)
    with folder.held():
        folder.clear()
        children = Children(folder.children)
        script = "open('made', 'w').close(); import os; os.mkdir('below')"
        command = [sys.executable, "-c", script]
        children.start(command, {}, log=folder.log("child"), cwd=folder.root).wait()

        modes = {each.name: each.stat().st_mode & 0o077 for each in folder.root.iterdir()}

    assert folder.root.stat().st_mode & 0o777 == 0o700
    assert {modes[name] for name in ("made", "below", "child.log")} == {0}


def test_a_start_does_not_wait_until_what_killed_lambdas_left_is_deleted(folder: Folder) -> None:
    left = folder.scratch / "ministack-lambda-1" / "layer"
    left.mkdir(parents=True)
    (folder.root / "unfinished-1").mkdir()

    folder.clear()

    assert list(folder.scratch.iterdir()) == []
    assert {each.name for each in folder.trash.glob("*/*")} == {"scratch", "unfinished-1"}
