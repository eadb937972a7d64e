"""Tests also run on the Python of the cloud, or on the one that users have, if it is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.other_python import VERSIONS, found, other
from tests.infra import deployed


def test_each_version_is_the_other_of_the_other() -> None:
    assert [other(version) for version in VERSIONS] == [*reversed(VERSIONS)]
    assert other("3.12") == "3.11"


def test_the_cloud_runs_one_of_them() -> None:
    assert deployed.context()["python"] in VERSIONS


def test_one_of_pyenv_is_found_and_its_empty_command_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shims, versions = tmp_path / ".pyenv/shims", tmp_path / ".pyenv/versions"
    shims.mkdir(parents=True)
    place = versions / "3.13.0/bin/python3.13"
    place.parent.mkdir(parents=True)
    for each in (place, shims / "python3.13"):
        each.write_text("#!/bin/sh\n")
        each.chmod(0o755)
    monkeypatch.setenv("PATH", str(shims))

    assert found("3.13", versions.glob("3.13.*")) == str(place)
    assert found("3.11", versions.glob("3.11.*")) == ""


def test_one_on_the_path_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "python3.13"
    here.write_text("#!/bin/sh\n")
    here.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert found("3.13", []) == str(here)
