"""The command as a user starts it, and the same without a process of its own, which is quicker."""

from __future__ import annotations

import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

from onthedot.cli.main import main

ONTHEDOT = str(Path(sys.executable).with_name("onthedot"))


def onthedot(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs it to its end."""
    return subprocess.run([ONTHEDOT, *words], input=given, check=False, capture_output=True)


def printed(*words: str) -> str:
    """Calls it where it must succeed, and gives what it says."""
    code, said, complaint = _called(words)
    assert (code, complaint) == (0, "")
    return said


def complained(*words: str) -> str:
    """Calls it where it must refuse, and gives what it says on the side of errors."""
    code, said, complaint = _called(words)
    assert (code, said) == (2, "")
    return complaint


def _called(words: tuple[str, ...]) -> tuple[int, str, str]:
    """Gives the exit code and both sides, in the encoding and with the errors of a terminal."""
    said = TextIOWrapper(BytesIO(), encoding="utf-8")
    complaint = TextIOWrapper(BytesIO(), encoding="utf-8", errors="backslashreplace")
    with redirect_stdout(said), redirect_stderr(complaint):
        try:
            code = main(words)
        except SystemExit as stopped:  # argparse's way to end
            code = int(stopped.code or 0)
    return code, _read(said), _read(complaint)


def _read(side: TextIOWrapper) -> str:
    side.seek(0)
    return side.read()
