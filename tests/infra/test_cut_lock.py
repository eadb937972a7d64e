"""The lock, what is cut from it, and what is installed say the same."""

import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from infra.cut_lock import CUTS, IN_THE_RUNTIME, LOCK, Pin, cut, pins
from tests.tidy.tree import ROOT

UV = [str(ROOT / ".venv-uv/bin/uv"), "--no-config", "--no-cache", "pip", "install", "--no-deps"]


def test_cutting_the_lock_again_writes_the_same_files() -> None:
    locked = pins(LOCK.read_text())

    assert {path: cut(roots, locked) for path, roots in CUTS.items()} == {
        path: path.read_text() for path in CUTS
    }


def test_the_functions_leave_the_sdk_to_their_runtime() -> None:
    for path in CUTS:
        assert IN_THE_RUNTIME.isdisjoint(pins(path.read_text()))


LOCKS = [
    *("requirements.txt", "requirements-cloud.txt", "requirements-uv.txt"),
    *("lambdas/requirements.txt", "lambdas/requirements-api.txt"),
]


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_by_version_and_content(name: str) -> None:
    locked = pins((ROOT / name).read_text()).values()

    assert locked
    assert [pin for pin in locked if not str(pin.requirement.specifier).startswith("==")] == []
    assert [pin for pin in locked if not pin.hashes] == []


def test_a_package_in_several_locks_has_the_same_content_in_each() -> None:
    known = pins(LOCK.read_text())

    for path in CUTS:
        cuts = pins(path.read_text())
        assert {name: pin.hashes for name, pin in cuts.items()} == {
            name: known[name].hashes for name in cuts
        }


def test_uv_refuses_a_file_whose_content_is_not_the_pinned_one(tmp_path: Path) -> None:
    pin = pins(LOCK.read_text())["six"]
    other = Pin(pin.requirement, ("sha256:" + "0" * 64,))
    (tmp_path / "lock.txt").write_text(other.line())
    wheel = tmp_path / f"six{str(pin.requirement.specifier).replace('==', '-')}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("six.py", "")

    command = [*UV, "--require-hashes", "--requirement", str(tmp_path / "lock.txt")]
    found = [*("--no-index", "--find-links", str(tmp_path)), "--target", str(tmp_path / "here")]
    found += ["--python", sys.executable]
    done = subprocess.run([*command, *found], capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "hash" in done.stderr.lower()
    assert not (tmp_path / "here" / "six.py").exists()


@pytest.mark.parametrize("place", ["Makefile", "infra/bundle.py"])
def test_all_that_installs_from_a_lock_requires_its_hashes(place: str) -> None:
    said = (ROOT / place).read_text()
    commands = said.replace("\\\n", "").splitlines()
    lines = [line for line in commands if re.search(r"pip (sync|.*install )|\"install\"", line)]

    assert "--require-hashes" in said
    assert "--only-binary=:all:" in said
    assert lines
    # What users ask for their handlers is theirs to pin.
    assert [
        line
        for line in lines
        if not re.search(r"\$\(locked\)|\*asked|--editable|jobs/requirements", line)
    ] == []


def test_every_locked_package_is_the_one_installed() -> None:
    applying = {
        name: each
        for name, each in _requirements().items()
        if each.marker is None or each.marker.evaluate()
    }
    installed = {name: f"=={version(name)}" for name in applying}

    assert installed == {name: str(each.specifier) for name, each in applying.items()}


def test_nothing_that_is_installed_lacks_what_it_needs() -> None:
    """`uv pip sync` installs what a lock names, and does not ask whether that is all."""
    for environment in (".venv", ".venv-cloud"):
        command = [UV[0], "pip", "check", "--quiet", "--python", environment]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def _requirements() -> dict[str, Requirement]:
    return {name: pin.requirement for name, pin in pins(LOCK.read_text()).items()}
