"""A handler that cannot be deployed fails the synth, before anything is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT

BROKEN = {
    "import": "import nothing_of_that_name",
    "schedule": (
        "from onthedot import OnTheDot, cron\n"
        "@OnTheDot().job(cron('0 25 * * *'))\n"
        "def report(): ...\n"
    ),
}
SYNTH = "import runpy, sys; sys.path[:0] = [{jobs!r}, {ours!r}]; runpy.run_path({app!r})"


@pytest.mark.parametrize("how", list(BROKEN))
def test_a_broken_handler_fails_the_synth(how: str, tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "__init__.py").write_text(BROKEN[how])
    program = SYNTH.format(ours=str(ROOT), jobs=str(tmp_path), app=str(ROOT / "app.py"))

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert ("nothing_of_that_name" if how == "import" else "report: ") in done.stderr
    assert not (tmp_path / "cdk.out").exists()
