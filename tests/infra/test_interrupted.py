"""What Ctrl-C leaves of a synth is found by no later one, and two installers do not mix."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from infra import cdk
from onthedot.local import whole_folders
from tests.tidy.tree import ROOT

ALONE = [sys.executable, "-I", str(ROOT / "infra/alone.py")]


def synth(output: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "AWS_EC2_METADATA_DISABLED": "true",
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(ROOT / ".cdk/jsii"),
    }
    command = [sys.executable, "-m", "infra.cdk", "synth", "--quiet", "--output", str(output)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)


def half_copied() -> bool:
    """An asset has begun to lie in the folder of a synth."""
    return any(
        next(each.glob("asset.*/*/*/*"), None) for each in whole_folders.unfinished(cdk.OUTPUTS)
    )


def test_an_interrupted_synth_leaves_nothing_that_the_next_one_finds(tmp_path: Path) -> None:
    output = tmp_path / "cdk.out"
    first = synth(output)
    deadline = time.monotonic() + 60
    while not half_copied():
        assert first.poll() is None
        assert time.monotonic() < deadline
    os.killpg(first.pid, signal.SIGINT)
    assert first.wait(20) != 0
    left = output.exists()

    second = synth(output).wait(120)

    assert not left
    assert second == 0
    # The zones came last where this was found: 707 of 1,023 files were there.
    assert next(output.glob("asset.*/python/tzdata/zones")).stat().st_size > 0
    assert len(list(output.glob("asset.*/python"))) == 2
    assert next(output.glob("asset.*/lambdas/work.py")).stat().st_size > 0


def test_one_waits_for_the_other_and_says_so(tmp_path: Path) -> None:
    lock, journal = tmp_path / "below/lock", tmp_path / "journal"
    script = "import sys, time; f = open(sys.argv[1], 'a'); f.write('in '); f.flush(); "
    script += "time.sleep(0.3); f.write('out ')"
    command = [*ALONE, str(lock), sys.executable, "-c", script, str(journal)]

    first = subprocess.Popen(command)
    while not journal.exists() or not journal.read_text():
        time.sleep(0.01)
    second = subprocess.run(command, capture_output=True, text=True, check=True)

    assert first.wait(10) == 0
    assert journal.read_text() == "in out in out "
    assert second.stderr == "Another command installs here: waiting until it is done.\n"
