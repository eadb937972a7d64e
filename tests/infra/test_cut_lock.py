"""The lock, what is cut from it, and what is installed say the same."""

from importlib.metadata import version

import pytest

from infra.cut_lock import CUTS, IN_THE_RUNTIME, LOCK, cut, pins
from tests.tidy.tree import ROOT


def test_cutting_the_lock_again_writes_the_same_files() -> None:
    locked = pins(LOCK.read_text())

    assert {path: cut(roots, locked) for path, roots in CUTS.items()} == {
        path: path.read_text() for path in CUTS
    }


def test_the_functions_leave_the_sdk_to_their_runtime() -> None:
    for path in CUTS:
        assert IN_THE_RUNTIME.isdisjoint(pins(path.read_text()))


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-cloud.txt"])
def test_every_requirement_is_pinned_exactly(name: str) -> None:
    locked = pins((ROOT / name).read_text())

    assert len(locked) > 10
    assert [each for each in locked.values() if not str(each.specifier).startswith("==")] == []


def test_every_locked_package_is_the_one_installed() -> None:
    applying = {
        name: each
        for name, each in pins(LOCK.read_text()).items()
        if each.marker is None or each.marker.evaluate()
    }
    installed = {name: f"=={version(name)}" for name in applying}

    assert installed == {name: str(each.specifier) for name, each in applying.items()}
