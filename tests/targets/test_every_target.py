"""What every kind of target has in common, from the trigger to the row: one suite for all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any, get_args

import pytest

from lambdas import work
from onthedot.api.requests import target_shapes
from onthedot.api.views import run_view
from onthedot.launch.trigger import trigger
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import FINAL
from onthedot.records.tasks.kept_versions import Sent
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.store import aws, table_reads
from onthedot.work.outside import lease, lease_answers
from tests.contract import engines
from tests.engines.place import Place, surroundings
from tests.engines.tasks import create, task
from tests.targets.receiver import Receiver, receiving
from tests.targets.standing import waiting_machine
from tests.targets.trials import ANSWERS, KINDS, Ground, State, Trial

_NUMBERS = count(1)
PATIENCE_SEC = 60


@pytest.fixture(scope="module")
def ministack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engines.ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture(scope="module")
def database_url() -> Iterator[str]:
    with engines.dynoxide() as url:
        yield url


@pytest.fixture
def place(
    monkeypatch: pytest.MonkeyPatch, ministack_url: str, database_url: str
) -> Iterator[Place]:
    forget = aws.patient_client.cache_clear
    with surroundings(monkeypatch):
        forget()
        monkeypatch.setenv("AWS_ENDPOINT_URL", ministack_url)
        yield Place.made(monkeypatch, dynamodb=database_url, sqs=ministack_url)
    forget()


@pytest.fixture
def receiver(request: pytest.FixtureRequest) -> Iterator[Receiver]:
    request.getfixturevalue("allowed")
    with receiving() as made:
        yield made


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ground(place: Place, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Ground:
    return Ground(monkeypatch, receiver, f"every-{place.number}-{next(_NUMBERS)}")


def carried_out(place: Place, kind: str, trial: Trial, state: State) -> tuple[Task, Run, Any]:
    """Triggers a task with the target, and works what is sent.

    Gives the task, its run, and the payload: as it should arrive, and as it did where one can look.
    """
    payload = {"state": state, "run": "{{run_id}}", "deep": {"text": "ü \u2028", "list": [1.5]}}
    plain = task(next(_NUMBERS), "0 0 1 1 *", max_attempts=2)
    made = create(replace(plain, target=trial.target, payload=payload))
    begun = trigger(made.task_id)
    assert begun is not None
    fetched: Any = None
    deadline = time.monotonic() + PATIENCE_SEC
    while (seen := _read(begun.run_id)).life.status not in (*FINAL, "retrying"):
        assert time.monotonic() < deadline, seen.life
        if kind == "pull":
            for leased in lease.take("gpu", tenant_id="acme", most=1, worker="w", lease_sec=60):
                fetched = leased.call.payload
                _say(seen.run_id, state)
        elif kind == "http callback" and seen.life.status == "awaiting":
            _say(seen.run_id, state)
        else:
            place.poll(lambda event: work.handler(event, None), wait_sec=1)
    if trial.got and (state == "works" or _is_ours(kind)):
        fetched = trial.got()
    return made, seen, (payload | {"run": begun.run_id}, fetched)


def _is_ours(kind: str) -> bool:
    """Tells whether the test's own target saw the call, also one that it refused."""
    return kind.startswith(("python", "http"))


def _say(run_id: str, state: State) -> None:
    told = lease_answers.settle(run_id, 1, ANSWERS[state], tenant_id="acme")
    assert told is lease_answers.Told.TAKEN


def _read(run_id: str) -> Run:
    item = table_reads.get(run_row.TABLE, run_row.row_key(run_id))
    assert item is not None
    return run_row.parse(item)


def test_a_success_is_recorded_as_what_it_is_and_the_payload_arrives_as_it_was_given(
    place: Place, ground: Ground, kind: str
) -> None:
    made, completion = KINDS[kind]
    trial = made(ground, "works")

    of, run, (payload, got) = carried_out(place, kind, trial, "works")

    shown = run_view.view(run, of, Sent(of.target, payload))
    assert (shown["status"], shown["reason"], shown["attempt"]) == ("succeeded", None, 1)
    assert shown["completion"] == completion
    if kind == "lambda":
        got = run.life.its_end.result["got"]
    assert got == payload or kind == "lambda async"


def test_a_failure_that_may_pass_is_tried_again(place: Place, ground: Ground, kind: str) -> None:
    trial = KINDS[kind][0](ground, "may soon")

    _, run, (payload, got) = carried_out(place, kind, trial, "may soon")

    assert (run.life.status, run.life.reason) == ("retrying", "failed")
    (first,) = run.life.attempts
    assert (first["attempt"], first["outcome"]) == (1, "failed")
    assert first["error"]["type"]
    assert got in (payload, None)


def test_a_failure_for_good_ends_the_run(place: Place, ground: Ground, kind: str) -> None:
    trial = KINDS[kind][0](ground, "never will")

    _, run, _ = carried_out(place, kind, trial, "never will")

    assert (run.life.status, run.life.reason, run.life.starts) == ("dead", "permanent", 1)
    assert run.life.its_end.error["type"]


def test_a_cancelled_run_stops_the_execution_that_it_waits_for(
    place: Place, ground: Ground
) -> None:
    execution = waiting_machine(ground.name)
    plain = task(next(_NUMBERS), "0 0 1 1 *", timeout_sec=3_600)
    of = create(replace(plain, target=execution.target))
    begun = trigger(of.task_id)
    assert begun is not None
    until(place, lambda: _read(begun.run_id).life.status == "awaiting")

    cancel(begun.run_id)
    until(place, lambda: execution.got() == "ABORTED")

    assert _read(begun.run_id).life.status == "cancelled"


def until(place: Place, reached: Callable[[], bool]) -> None:
    """Lets a worker go on until it is so."""
    deadline = time.monotonic() + PATIENCE_SEC
    while not reached():
        assert time.monotonic() < deadline
        place.poll(lambda event: work.handler(event, None), wait_sec=1)


def test_no_kind_of_target_is_left_out() -> None:
    shapes = get_args(get_args(target_shapes.Target)[0])
    kinds = {get_args(shape.model_fields["type"].annotation)[0] for shape in shapes}

    assert {name.split()[0] for name in KINDS} == kinds
