"""What the last deployment left: known by the sources it was made from, or not used at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from onthedot.local import assembly


def test_a_deployment_is_known_by_its_sources(tmp_path: Path) -> None:
    assert assembly.made_from(tmp_path) == ""

    assembly.stamp(tmp_path, "these")

    assert assembly.made_from(tmp_path) == "these"


def test_sources_differ_as_soon_as_a_file_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "PROJECT", tmp_path)
    for name in ("app.py", "cdk.json", "requirements.txt", "lambdas/work.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    before = assembly.sources()

    (tmp_path / "lambdas/work.py").write_text("2")

    assert assembly.sources() != before
