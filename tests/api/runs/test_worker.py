"""`onthedot worker`, a process of its own, against the API over HTTP: fetched, kept, drained."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from onthedot import Client
from onthedot.registry.run_cancel import cancel
from onthedot.store import clock
from tests.api.kit import Api
from tests.api.new_process import forget_keys
from tests.api.serving import served, sleep
from tests.api.working import (
    HANDLERS,
    PATIENCE_SEC,
    Start,
    appeared,
    asked,
    asked_for_more,
    ended,
    stopped,
    triggered,
    workers,
)
from tests.contract.engines import free_port

pytestmark = pytest.mark.deep


@pytest.fixture
def real_api(api: Api) -> Api:
    """Returns the API by this machine's clock."""
    api.settings.setattr(clock, "local_ms", lambda: time.time_ns() // 1_000_000)
    # With one that stands still no wait for a run would ever be over.
    api.settings.setattr(clock, "monotonic", time.monotonic)
    api.settings.setattr(clock, "sleep", sleep)
    return api


@pytest.fixture
def start(real_api: Api, tmp_path: Path) -> Iterator[Start]:
    with workers(real_api, tmp_path) as begin:
        yield begin


def test_runs_are_worked_and_the_worker_stops_when_it_is_told_to(
    real_api: Api, start: Start
) -> None:
    with served() as port:
        worker = start(port)
        run_ids = [triggered(real_api, "quick", {"number": number}) for number in range(8)]
        runs = [ended(real_api, run_id) for run_id in run_ids]
        code = stopped(worker)

    assert [run["result"]["number"] for run in runs] == list(range(8))
    assert [run["result"]["run"] for run in runs] == run_ids
    assert {run["attempt"] for run in runs} == {1}
    assert code == 0


def test_a_worker_that_is_told_to_stop_finishes_what_it_has(
    real_api: Api, start: Start, tmp_path: Path
) -> None:
    with served() as port:
        worker = start(port)
        run_id = triggered(real_api, "slow", {"seconds": 2})
        # What is leased and has not begun is given back.
        appeared(tmp_path / "asleep")
        code = stopped(worker)
        after = triggered(real_api, "quick")

        assert ended(real_api, run_id)["result"] == "slept"
        assert asked(real_api, f"GET /v1/runs/{after}").body["status"] == "claimed"
    assert code == 0


def test_a_run_that_comes_while_the_worker_is_being_stopped_is_given_back(
    real_api: Api, start: Start
) -> None:
    with served() as port:
        worker = start(port, "--lease-sec", "30")
        while_waiting = triggered(real_api, "quick")
        ended(real_api, while_waiting)
        asked_for_more()
        worker.send_signal(signal.SIGTERM)
        run_id = triggered(real_api, "quick")
        worker.communicate(timeout=PATIENCE_SEC)
        given_back = asked(real_api, f"GET /v1/runs/{run_id}").body
        start(port)
        run = ended(real_api, run_id)

    assert worker.returncode == 0
    assert (given_back["status"], given_back["reason"]) == ("retrying", "released")
    assert run["status"] == "succeeded"


def test_a_run_longer_than_its_lease_is_kept_and_shows_progress(
    real_api: Api, start: Start
) -> None:
    with served() as port:
        start(port, "--lease-sec", "10")
        run = ended(real_api, triggered(real_api, "slow", {"seconds": 13}))

    assert (run["status"], run["attempt"]) == ("succeeded", 1)
    assert isinstance(run["progress"], int)


def test_a_worker_outlives_the_api(real_api: Api, start: Start, tmp_path: Path) -> None:
    port = free_port()
    with served(port):
        start(port, "--at-once", "2")
        first = triggered(real_api, "slow", {"seconds": 3})
        ended(real_api, first, "running")
    appeared(tmp_path / "slept")
    with served(port):
        second = triggered(real_api, "quick")

        assert ended(real_api, first)["result"] == "slept"
        assert ended(real_api, second)["status"] == "succeeded"
        assert ended(real_api, first)["attempt"] == 1


@pytest.mark.parametrize(
    ("how", "status", "attempt"),
    [("fail", "dead", 1), ("skip", "skipped", 1), ("later", "succeeded", 2)],
)
def test_what_a_handler_raises_means_the_same_as_in_the_cloud(
    real_api: Api, start: Start, *, how: str, status: str, attempt: int
) -> None:
    with served() as port:
        start(port)
        run = ended(real_api, triggered(real_api, "moody", {"how": how}))

    assert (run["status"], run["attempt"]) == (status, attempt)
    assert how != "later" or run["result"] == {"page": 7}
    assert how != "skip" or (run["reason"], run["note"]) == ("handler", "nothing to do")


def test_an_error_of_the_handler_is_a_failed_attempt(real_api: Api, start: Start) -> None:
    with served() as port:
        start(port)
        run_id = triggered(real_api, "moody", {"how": "bug"}, retry={"base_sec": 1, "cap_sec": 1})
        run = ended(real_api, run_id)

    assert run["status"] == "succeeded"
    assert run["attempts"][0]["error"]["type"] == "ZeroDivisionError"


def test_an_effect_is_had_once_by_all_attempts_of_a_run(
    real_api: Api, start: Start, tmp_path: Path
) -> None:
    with served() as port:
        start(port)
        first, second = (ended(real_api, triggered(real_api, "paid")) for _ in range(2))

    assert (first["attempt"], first["result"]["by"], first["result"]["before"]) == (2, 1, "None")
    assert second["result"]["before"] == first["due_at"].replace("T", " ").replace("Z", "000+00:00")
    assert (tmp_path / "charges").read_text() == "1\n1\n"


def test_a_worker_that_is_killed_loses_its_run_to_another_that_has_its_steps(
    real_api: Api, start: Start, tmp_path: Path
) -> None:
    with served() as port:
        first = start(port, "--lease-sec", "10")
        run_id = triggered(real_api, "stuck")
        appeared(tmp_path / "recorded")
        first.kill()
        start(port, "--lease-sec", "10")
        run = ended(real_api, run_id)

    assert (run["status"], run["attempt"], run["result"]) == ("succeeded", 2, 1)
    assert [each["outcome"] for each in run["attempts"]] == ["lost", "succeeded"]


def test_an_effect_outlives_an_api_that_is_away(
    real_api: Api, start: Start, tmp_path: Path
) -> None:
    port = free_port()
    with served(port):
        start(port)
        run_id = triggered(real_api, "patient")
        appeared(tmp_path / "begun")
    (tmp_path / "go").touch()
    appeared(tmp_path / "charges")
    with served(port):
        run = ended(real_api, run_id)

    assert (run["result"], run["attempt"]) == ("had", 1)
    assert (tmp_path / "charges").read_text() == "had\n"


def test_an_effect_that_gives_no_json_is_the_handlers_fault(real_api: Api, start: Start) -> None:
    with served() as port:
        start(port)
        run = ended(real_api, triggered(real_api, "broken", max_attempts=1))

    assert run["error"]["message"].startswith("once('nothing') gave a value that is not JSON")


def test_a_worker_without_the_handler_leaves_the_run_to_one_that_has_it(
    real_api: Api, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "older_jobs.py").write_text(HANDLERS.replace("def quick", "def formerly"))
    with served() as port:
        # It may have leased the run once more when it is killed.
        older = start(port, "--module", "older_jobs", "--lease-sec", "10")
        often = {"retry": {"base_sec": 1, "cap_sec": 1}, "max_attempts": 100}
        run_id = triggered(real_api, "quick", **often)
        ended(real_api, run_id, "retrying")
        older.kill()
        start(port)
        run = ended(real_api, run_id)

    assert run["status"] == "succeeded"
    assert run["attempts"][0]["error"]["type"] == "HandlerNotFound"
    assert "no handler quick here" in run["attempts"][0]["error"]["message"]


def test_a_request_to_cancel_stops_the_handler(real_api: Api, start: Start) -> None:
    with served() as port:
        start(port, "--lease-sec", "10")
        run_id = triggered(real_api, "slow", {"seconds": 60})
        ended(real_api, run_id, "running")
        cancel(run_id)
        run = ended(real_api, run_id)

    assert (run["status"], run["reason"]) == ("cancelled", "user")


def test_a_hung_handler_is_timed_out_and_its_worker_ends_when_others_have(
    real_api: Api, start: Start
) -> None:
    with served() as port:
        worker = start(port, "--at-once", "2")
        hung = triggered(real_api, "hung", timeout_sec=1, max_attempts=1)
        slow = triggered(real_api, "slow", {"seconds": 8})
        ended(real_api, hung, "running")
        worker.communicate(timeout=PATIENCE_SEC)

        assert ended(real_api, hung)["reason"] == "attempts_exhausted"
        assert ended(real_api, slow)["result"] == "slept"
    assert worker.returncode == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--module", "nothing_of_that_name"], "nothing_of_that_name"),
        (["--url", "localhost"], "no address of the API"),
        (["--module", "json"], "no function under @app.job"),
        (["--at-once", "0"], "--at-once is 0"),
    ],
)
def test_a_worker_that_cannot_work_says_why(start: Start, more: list[str], said: str) -> None:
    worker = start(1, *more)
    _, errors = worker.communicate(timeout=PATIENCE_SEC)

    assert worker.returncode == 2
    assert said in errors


def test_the_client_registers_triggers_waits_and_walks_pages(real_api: Api, start: Start) -> None:
    with served() as port:
        client = Client(f"http://127.0.0.1:{port}", real_api.key())
        start(port)
        made = client.schedules.create(
            name="quick", cron="0 9 * * *", target={"type": "pull", "queue": "gpu"}
        )
        runs = []
        for number in range(3):
            run = client.schedules.trigger("quick", payload={"number": number})
            runs.append(client.runs.wait(run["run_id"], timeout_sec=PATIENCE_SEC))
        listed = list(client.schedules.runs("quick", limit=1))
        client.transport.close()

    assert made["managed_by"] == "api"
    assert [run["result"]["number"] for run in runs] == [0, 1, 2]
    assert [run["run_id"] for run in listed] == [run["run_id"] for run in reversed(runs)]


def test_a_word_that_is_refused_holds_up_neither_the_worker_nor_its_end(
    real_api: Api, start: Start, tmp_path: Path
) -> None:
    with served() as port:
        worker = start(port, "--at-once", "1")
        run_id = triggered(real_api, "patient")
        appeared(tmp_path / "begun")
        asked(real_api, f"DELETE /v1/keys/key_{real_api.key('worker').split('_')[1]}")
        forget_keys()
        (tmp_path / "go").touch()
        _, errors = worker.communicate(timeout=PATIENCE_SEC)

    assert worker.returncode == 1
    assert f"the API refuses what came of {run_id}" in errors


def test_a_worker_whose_key_is_refused_says_so_and_ends(start: Start) -> None:
    with served() as port:
        worker = start(port, "--key", "otd_wrong")
        _, errors = worker.communicate(timeout=PATIENCE_SEC)

    assert worker.returncode == 1
    assert "401 unauthenticated" in errors
