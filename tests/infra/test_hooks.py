"""What `make hooks` lets git call: programs of this folder. A commit that breaks a rule fails."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tidy.tree import ROOT

CONFIG = ROOT / ".pre-commit-config.yaml"
(LOCAL,) = yaml.safe_load(CONFIG.read_text())["repos"]
HOOKS: list[dict[str, Any]] = LOCAL["hooks"]


def test_no_hook_is_fetched() -> None:
    assert LOCAL["repo"] == "local"
    assert {each["language"] for each in HOOKS} == {"system"}


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_is_a_program_that_the_lock_installs(hook: dict[str, Any]) -> None:
    program, *arguments = shlex.split(hook["entry"])

    assert (ROOT / program).exists()
    assert program.startswith(".venv/bin/")
    assert [each for each in arguments if "/" in each and not (ROOT / each).exists()] == []


def test_a_commit_must_keep_the_rules_that_it_touches(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    for name in (CONFIG.name, "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    # Where a module needs no package around it.
    module = tmp_path / "examples" / "module.py"
    module.parent.mkdir()
    _git(tmp_path, "init", "--quiet")
    done = _called(tmp_path, ".venv/bin/pre-commit", "install")
    assert done.stdout == (
        "pre-commit installed at .git/hooks/pre-commit\n"
        "pre-commit installed at .git/hooks/pre-push\n"
    )

    module.write_text('"""Says nothing."""\n\nimport os\n')
    unused = _committed(tmp_path)
    module.write_text('"""Says nothing."""\n\nNAMES = [ "one" ]\n')
    askew = _committed(tmp_path)
    module.write_text('"""Says nothing."""\n\nNAMES = ["one"]\n')
    clean = _committed(tmp_path)

    assert (unused.returncode, _failed(unused)) == (1, ["lint"])
    assert (askew.returncode, _failed(askew)) == (1, ["format"])
    assert (clean.returncode, _failed(clean)) == (0, [])


def _committed(folder: Path) -> subprocess.CompletedProcess[str]:
    _git(folder, "add", "examples")
    return _called(folder, "git", "commit", "--quiet", "--message", "Try")


def _failed(done: subprocess.CompletedProcess[str]) -> list[str]:
    return re.findall(r"^- hook id: (\w+)$", done.stdout + done.stderr, re.MULTILINE)


def _git(folder: Path, *words: str) -> None:
    _called(folder, "git", *words).check_returncode()


def _called(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    person = {f"GIT_{role}_{part}": "x@y" for role in ("AUTHOR", "COMMITTER") for part in _PARTS}
    apart = {"PRE_COMMIT_HOME": str(folder / "kept"), "GIT_CONFIG_GLOBAL": os.devnull}
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        command,
        cwd=folder,
        env=ours | person | apart,
        capture_output=True,
        text=True,
        check=False,
    )


_PARTS = ("NAME", "EMAIL")
