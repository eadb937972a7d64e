"""The command itself: its help, its exit codes, how soon it is there and what it loads."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import pytest

from tests.cli.terminal import ONTHEDOT, complained, onthedot, printed

# What the doors to the cloud and to the web need, and a preview of a cron must never wait for.
HEAVY = "boto3 botocore pydantic aws_lambda_powertools pynamodb aws_cdk".split()
HELP_MAX_SEC, NEXT_MAX_SEC = 0.150, 0.300
TIMES = 7
LOADED = """
import sys
from onthedot.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("\\n".join(sys.modules), file=sys.stderr)
"""
ALLOWED_OF_OURS = ("onthedot.schedule", "onthedot.records", "onthedot.cli")


@pytest.mark.parametrize("words", [("--help",), ("-h",), ()])
def test_help_names_every_command_and_an_example(words: tuple[str, ...]) -> None:
    shown = onthedot(*words).stdout.decode()

    assert "usage: onthedot" in shown
    assert "show when a schedule fires next" in shown
    assert "say in English when a schedule fires" in shown
    assert 'onthedot next "30 2 * * *" --tz America/New_York' in shown


@pytest.mark.parametrize("command", ["next", "explain"])
def test_a_command_has_help_of_its_own(command: str) -> None:
    shown = printed(command, "--help")

    for flag in ("--timezone", "--tz", "--from", "--dst-gap", "--calendar", "--max-runs"):
        assert flag in shown


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--help",), 0),
        (("next", "0 9 * * *"), 0),
        (("explain", "0 9 * * *"), 0),
        (("next", "--batch"), 0),
        ((), 2),
        (("previous",), 2),
        (("next", "0 25 * * *"), 2),
        (("explain",), 2),
    ],
)
def test_the_exit_code_is_zero_or_the_callers_mistake(words: tuple[str, ...], code: int) -> None:
    done = onthedot(*words)

    assert done.returncode == code
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["next", "explain"])
def test_an_expression_without_quotes_is_told_to_have_them(command: str) -> None:
    # What a shell makes of: onthedot next 0 9 * * MON --tz Europe/Paris
    words = [command, "0", "9", "README.md", "docs", "README.md", "MON", "--tz", "Europe/Paris"]

    said = complained(*words)

    assert "put the expression in quotes" in said
    assert "README.md" not in said


def test_a_flag_that_there_is_not_is_named() -> None:
    assert "unrecognized arguments: --cont 3" in complained("next", "0 9 * * *", "--cont", "3")


def test_an_expression_that_is_too_long_is_not_shown_again() -> None:
    said = complained("next", "0 9 " + "1," * 300 + " * *")

    assert "expected 256 at most" in said
    assert len(said) < 200


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("next", "30 2 * * *", "--tz", "America/New_York"),
        ("next", "0 9 * * *", "--json"),
        ("next", "--batch"),
        ("explain", "0 9 * * *"),
    ],
)
def test_nothing_but_schedules_and_records_is_loaded(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], input=b"", check=True, capture_output=True
    )
    loaded = done.stderr.decode().split()
    ours = [name for name in loaded if name.startswith("onthedot.")]

    assert [name for name in loaded if name.split(".")[0] in HEAVY] == []
    assert [name for name in ours if not name.startswith(ALLOWED_OF_OURS)] == []
    assert ours


def test_help_loads_no_engine() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED, "--help"], check=True, capture_output=True)

    loaded = done.stderr.decode().split()
    assert not {"croniter", "tzdata", "onthedot.schedule", "onthedot.records"} & set(loaded)


def test_a_reader_that_leaves_is_no_failure() -> None:
    command = [ONTHEDOT, "next", "* * * * *", "--count", "10000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()

        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("words", "limit_sec"),
    [
        (("--help",), HELP_MAX_SEC),
        (("next", "30 2 * * *", "--tz", "America/New_York"), NEXT_MAX_SEC),
    ],
)
def test_it_starts_soon(words: tuple[str, ...], limit_sec: float) -> None:
    cpu, wall = [], []
    for _ in range(TIMES):
        used, started = _children_sec(), time.perf_counter()
        onthedot(*words)
        wall.append(time.perf_counter() - started)
        cpu.append(_children_sec() - used)

    # The tests beside this one take their share of the wall's time, so either measure suffices.
    assert min(*cpu, *wall) < limit_sec


def _children_sec() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
