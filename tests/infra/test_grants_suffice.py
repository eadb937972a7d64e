"""What the flows ask of the store, in a history with everything in it, their roles allow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from onthedot.dispatch.dispatcher import dispatch
from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_status import Reason
from onthedot.registry.run_cancel import cancel
from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Dead, Done, error_of
from onthedot.upkeep.minute import minute
from onthedot.work.gates import tenant_line
from tests.infra import deployed
from tests.infra.test_grants import listed, statements
from tests.simulation.calm import FREE, add, employ, runs, spoil
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users.pauses import paused_for_a_while

# Function, action, and the table or index it is done to.
Asked = tuple[str, str, str]
UNTIL_SEC = 4_200
GAP_SEC = (400, 3_900)
SIMPLE = {
    "get_item": "GetItem",
    "put_item": "PutItem",
    "update_item": "UpdateItem",
    "delete_item": "DeleteItem",
    "query": "Query",
}
TOGETHER = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


class Listening:
    """A client that notes who asks for what."""

    def __init__(self, client: object, note: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._client = client
        self._note = note

    def __getattr__(self, operation: str) -> object:
        found = getattr(self._client, operation)
        if not callable(found):
            return found

        def call(**request: object) -> object:
            self._note(operation, request)
            return found(**request)

        return call


def actions(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What IAM calls it: batches and transactions are what they are made of."""
    if operation in SIMPLE:
        index = f"/index/{request['IndexName']}" if "IndexName" in request else ""
        yield SIMPLE[operation], request["TableName"] + index
    elif operation == "batch_get_item":
        yield from (("BatchGetItem", table) for table in request["RequestItems"])
    elif operation == "batch_execute_statement":
        for each in request["Statements"]:
            kind, table = re.findall(r'^(INSERT INTO|UPDATE) "([^"]+)"', each["Statement"])[0]
            yield ("PartiQLInsert" if kind == "INSERT INTO" else "PartiQLUpdate"), table
    else:
        assert operation == "transact_write_items", operation
        for each in request["TransactItems"]:
            ((kind, write),) = each.items()
            yield TOGETHER[kind], write["TableName"]


@pytest.fixture(scope="module")
def asked() -> set[Asked]:
    """Plays the history, and gives what each function asked for."""
    found: set[Asked] = set()
    stage = make_stage(7)
    with staged(stage):
        clients = aws.client

        def note(operation: str, request: Mapping[str, Any]) -> None:
            running = stage.world.running
            if running is not None:
                name = running.name.split("#")[0].capitalize()
                found.update((name, action, place) for action, place in actions(operation, request))

        aws.client = lambda service: (  # type: ignore[assignment] # staged puts it back
            Listening(clients(service), note) if service == "dynamodb" else clients(service)
        )
        play(stage)
        stage.world.close()
    return found


def play(stage: Stage) -> None:
    """Retries, gates, deaths, gaps, ranges, a broken task, killed workers, lost messages."""
    employ(stage)
    minutely = add(stage, "* * * * *", misfire="all", name="minutely", max_attempts=2)
    add(stage, "*/30 * * * * *", name="queue", overlap="queue", queue_max=2)
    add(stage, "* * * * *", name="previous", overlap="cancel_previous")
    tenant_line.set_limit("acme", 2)
    add(stage, "* * * * *", name="dead", max_attempts=1, **FREE)
    spoil(stage, add(stage, "5 12 * * *", name="broken"), "cursor", compiled=b"junk")
    stage.answer = _answer
    stage.takes_sec = lambda call: 70.0 if "QUEUE" in call.run_id else 1.0
    stage.kills = lambda call: "MINUTELY" in call.run_id and "120500" in call.run_id
    world, shards = stage.world, stage.shards()
    for first, until in ((0, GAP_SEC[0]), (GAP_SEC[1], UNTIL_SEC)):
        world.every(60, "dispatch", lambda _: dispatch(shards), first_sec=first, until_sec=until)
    world.every(60, "audit", lambda _: minute(), first_sec=30, until_sec=UNTIL_SEC)
    world.run(300)
    paused_for_a_while(minutely.task_id, 300)
    trigger(minutely.task_id)
    cancel(runs(stage, minutely)[-1].run_id)
    stage.last_rows = None
    world.run(UNTIL_SEC)


def _answer(call: Any) -> Again | Dead | Done:  # noqa: ANN401 a call of the simulation
    if "DEAD" in call.run_id:
        return Dead(Reason.PERMANENT, error_of("Fail", "never"))
    if "MINUTELY" in call.run_id and call.attempt == 1:
        return Again(Reason.FAILED)
    return Done()


def allowed(function: str, action: str, place: str) -> bool:
    table, _, index = place.partition("/index/")
    logical = f"Storage{table.capitalize()}"
    for each in statements(function):
        if f"dynamodb:{action}" not in listed(each["Action"]):
            continue
        resources = each["Resource"] if isinstance(each["Resource"], list) else [each["Resource"]]
        for resource in resources:
            text = str(resource)
            if logical in text and (f"/index/{index}'" in text if index else "/index/" not in text):
                return True
    return False


def test_the_history_has_every_function_in_it(asked: set[Asked]) -> None:
    assert {function for function, _, _ in asked} >= {"Dispatch", "Work", "Audit"}
    assert ("Dispatch", "Query", "tasks/index/due") in asked
    assert ("Work", "DeleteItem", "runs") in asked
    assert len(asked) > 20


def test_each_function_may_do_all_that_it_asked_for(asked: set[Asked]) -> None:
    assert sorted(each for each in asked if not allowed(*each)) == []


def test_a_role_that_allows_less_would_be_noticed() -> None:
    assert allowed("Dispatch", "Query", "tasks/index/due")
    assert not allowed("Work", "Query", "tasks/index/due")
    assert not allowed("Work", "PutItem", "tasks")
    assert not allowed("Dispatch", "Query", "runs/index/attention")
    assert deployed.template()
