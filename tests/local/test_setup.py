"""`make setup`, which every other command begins with."""

import subprocess

from tests.tidy.tree import ROOT

INSTALLED = (".venv/onthedot", ".venv-cloud/locked", "node_modules/locked")


def test_where_all_is_installed_it_says_nothing() -> None:
    old = [f"--old-file={each}" for each in INSTALLED]
    made = subprocess.run(
        ["make", "--no-print-directory", *old, "installed"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )

    assert (made.stdout, made.stderr) == ("", "")
