"""Each example of `examples/` does what it says, against the real code."""

from __future__ import annotations

import ast
import gzip
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import onthedot
from tests.examples.conftest import Begin
from tests.examples.small_stack import EXAMPLES, SmallStack, until
from tests.targets.receiver import Receiver
from tests.tidy import tree

PAGE = (EXAMPLES / "README.md").read_text()


def played(stack: SmallStack, *command: str) -> str:
    """Runs an example as its own text says; gives what it prints."""
    done = subprocess.run(
        command,
        cwd=tree.ROOT,
        env=stack.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def fired(stack: SmallStack, schedule: str) -> Any:
    """Gives the first run of a schedule, once it has its outcome."""
    client = stack.client()
    runs = until(lambda: list(client.schedules.runs(schedule)), bool)
    return stack.settled(runs[-1]["run_id"])


def test_a_night_has_its_report_and_a_retry_sends_it_under_the_same_key(
    begin: Begin, receiver: Receiver
) -> None:
    stack = begin("2026-11-18T06:58:00Z")
    stack.copy(EXAMPLES / "nightly_report.py", SEND_TO=f"{receiver.url}/answer")
    receiver.answers = [(503, {}, b""), (200, {}, b"")]

    assert stack.deploy() == {"created": 1}
    stack.wait_for("2026-11-18T07:00:00Z")
    run = fired(stack, "nightly_report")

    assert (run["status"], run["attempt"]) == ("succeeded", 2)
    assert run["result"] == {"day": "2026-11-17", "orders": 42}
    assert [json.loads(each.body)["day"] for each in receiver.got] == ["2026-11-17"] * 2
    assert len({each.headers["idempotency-key"] for each in receiver.got}) == 1


def test_an_import_goes_through_all_pages_and_nobody_else_calls_the_shop_meanwhile(
    begin: Begin, receiver: Receiver
) -> None:
    stack = begin("2026-11-18T11:58:00Z")
    stack.copy(EXAMPLES / "import_orders.py", SHOP=f"{receiver.url}/answer")
    pages: list[list[dict[str, int]]] = [[{"id": 1}, {"id": 2}], [{"id": 3}], []]
    receiver.answers = [(200, {}, json.dumps(page).encode()) for page in pages]

    assert stack.deploy() == {"created": 1}
    stack.wait_for("2026-11-18T12:00:00Z")
    other = stack.client().tasks.create(
        run_at="2026-11-18T12:00:00Z",
        target={"type": "python", "handler": "import_orders"},
        concurrency_key={"key": "shop", "max_running": 1},
    )
    runs = [fired(stack, "import_orders"), task_run(stack, other["task_id"])]

    first, second = sorted(runs, key=lambda run: str(run["started_at"]))
    assert first["result"] == {"pages": 2, "orders": 3}
    assert second["result"] == {"pages": 0, "orders": 0}
    assert first["ended_at"] <= second["started_at"]


def test_a_reminder_is_registered_once_and_its_call_is_repeated_until_it_succeeds(
    begin: Begin, receiver: Receiver
) -> None:
    stack = begin("2026-11-23T07:58:00Z")
    receiver.answers = [(500, {}, b""), (503, {"retry-after": "2"}, b""), (200, {}, b"")]
    program = (sys.executable, "examples/payment_reminder.py", f"{receiver.url}/answer")

    said = [played(stack, *program), played(stack, *program)]
    stack.wait_for("2026-11-23T08:00:00Z")
    run = fired(stack, "payment-reminder")

    assert said[0] == said[1]
    assert "At 09:00 on Monday through Friday, Europe/Berlin." in said[0]
    assert (run["status"], run["attempt"]) == ("succeeded", 3)
    assert [json.loads(each.body)["slot"] for each in receiver.got] == ["2026-11-23T08:00:00Z"] * 3
    assert {each.headers["idempotency-key"] for each in receiver.got} == {run["run_id"]}


def test_a_trial_that_ends_is_told_of_once_and_not_after_a_payment(
    begin: Begin, receiver: Receiver
) -> None:
    stack = begin("2026-12-01T00:00:00Z")
    program = (sys.executable, "examples/trial_end.py")
    ends = ("2026-12-24T00:00:00+00:00", f"{receiver.url}/ok")

    first = played(stack, *program, "begins", "77", *ends).strip()
    again = played(stack, *program, "begins", "77", *ends).strip()
    other = played(stack, *program, "begins", "78", *ends).strip()
    paid = played(stack, *program, "paid", other)
    stack.wait_for("2026-12-23T00:00:00Z")
    run = task_run(stack, first)
    late = played(stack, *program, "paid", first)

    assert again == first
    assert run["status"] == "succeeded"
    assert [json.loads(each.body)["customer"] for each in receiver.got] == ["77"]
    assert (paid, late) == ("cancelled\n", "too late\n")


def test_a_worker_outside_compresses_a_file_where_it_lies(begin: Begin, tmp_path: Path) -> None:
    stack = begin("2026-11-18T12:00:00Z")
    log = tmp_path / "service.log"
    log.write_text("all is well\n" * 100_000)
    client = stack.client()
    target = {"type": "pull", "queue": "logs"}
    files = (log, tmp_path / "nothing.log")
    worker = subprocess.Popen(
        ("onthedot", "worker", "--queue", "logs", "--module", "compress_logs"),
        cwd=EXAMPLES,
        env=stack.environment("worker"),
        stderr=subprocess.DEVNULL,
    )
    try:
        tasks = [client.tasks.create(target=target, payload={"file": str(each)}) for each in files]
        done, dead = (task_run(stack, each["task_id"]) for each in tasks)
    finally:
        worker.send_signal(signal.SIGTERM)
        code = worker.wait(20)

    assert done["result"]["before"] == 1_200_000
    assert gzip.decompress((tmp_path / "service.log.gz").read_bytes()).startswith(b"all is well\n")
    assert not log.exists()
    assert (dead["status"], dead["reason"]) == ("dead", "permanent")
    assert code == 0


def test_a_schedule_is_registered_by_curl_and_a_second_time_left_alone(begin: Begin) -> None:
    stack = begin("2026-11-30T16:58:00Z")
    stack.copy(tree.ROOT / "jobs/examples.py")

    first, second = (played(stack, "bash", "examples/register.sh") for _ in range(2))
    stack.wait_for("2026-11-30T17:00:00Z")
    run = fired(stack, "month-end")

    assert first.startswith("At 18:00 on the last day of the month, Europe/Paris.")
    assert first.endswith("month-end is registered\n")
    assert second.endswith("month-end was there already\n")
    assert run["scheduled_for"] == "2026-11-30T17:00:00Z"
    assert run["result"] == {"greeting": "Hello, the month!"}


def task_run(stack: SmallStack, task_id: str) -> Any:
    """Gives the run of a one-off task, once it has its outcome."""
    client = stack.client()
    task = until(lambda: client.tasks.get(task_id), lambda seen: seen["run"])
    assert task["run"] is not None
    return stack.settled(task["run"]["run_id"])


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_an_example_imports_only_what_is_public(example: Path) -> None:
    nodes = ast.walk(ast.parse(example.read_text()))
    named = [
        (node.module, alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("onthedot")
        for alias in node.names
    ]

    assert named
    assert [name for module, name in named if module != "onthedot"] == []
    assert {name for _, name in named} <= set(onthedot.__all__)


def test_the_page_names_each_example_and_nothing_else() -> None:
    named = set(re.findall(r"\]\((\w+\.(?:py|sh))\)", PAGE))

    assert named == {path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh"}}
