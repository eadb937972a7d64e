"""The forge's file calls each step of `.ci/run`, on both Pythons, and may do nothing else."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
import yaml

from tests.tidy.tree import ROOT

WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
SCRIPT = (ROOT / ".ci/run").read_text()
(JOB,) = WORKFLOW["jobs"].values()
MATRIX = JOB["strategy"]["matrix"]
STEPS = re.findall(r"^    (\w+)\) make ", SCRIPT, re.MULTILINE)


def test_the_forge_takes_each_step_that_the_script_takes_by_itself() -> None:
    (alone,) = re.findall(r"\|\| set -- (.*)$", SCRIPT, re.MULTILINE)

    assert alone.split() == STEPS
    assert MATRIX["step"] == STEPS
    assert [each["run"] for each in JOB["steps"] if "run" in each] == [
        "bash .ci/run ${{ matrix.step }}"
    ]


def test_both_ends_of_what_is_promised_are_tried() -> None:
    declared = (ROOT / "pyproject.toml").read_text()

    assert 'requires-python = ">=3.11"' in declared
    # The newer one is what the functions run on.
    assert '"python": "3.13"' in (ROOT / "cdk.json").read_text()
    assert MATRIX["python"] == ["3.11", "3.13"]


def test_its_token_reads_the_code_and_nothing_else() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in JOB
    assert "secrets" not in (ROOT / ".github/workflows/ci.yml").read_text()


def test_each_action_of_others_is_pinned_by_its_commit() -> None:
    used = [each["uses"] for each in JOB["steps"] if "uses" in each]

    assert used
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each)] == []


@pytest.mark.parametrize("step", ["chekc", ""])
def test_a_step_that_there_is_not_fails(step: str) -> None:
    done = subprocess.run(
        ["bash", ".ci/run", step], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr == f"there is no step '{step}' in .ci/run\n"
