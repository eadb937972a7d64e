"""The client's requests: tried again where that is safe, and told apart by a key."""

from __future__ import annotations

import json
import select
from collections.abc import Iterator
from typing import Any

import pytest

from onthedot.client.client import Client
from onthedot.client.errors import ApiError, Unavailable
from tests.targets.receiver import Receiver, receiving


@pytest.fixture
def waits() -> list[float]:
    """Returns how long the client has waited between tries."""
    return []


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def client(receiver: Receiver, waits: list[float]) -> Iterator[Client]:
    made = Client(receiver.url, "a-key")
    made.transport.sleep = waits.append
    yield made
    made.transport.close()


def problem(code: str) -> bytes:
    return json.dumps({"code": code, "detail": "As it is.", "request_id": "req_1"}).encode()


def test_a_request_that_makes_something_is_tried_again_under_one_key(
    client: Client, receiver: Receiver, waits: list[float]
) -> None:
    receiver.answers = [
        (503, {"retry-after": "7"}, problem("unavailable")),
        (500, {}, problem("internal")),
        (409, {}, problem("idempotency_in_progress")),
        (201, {}, b'{"task_id":"tsk_1"}'),
    ]

    made = client.tasks.create(delay_sec=5, target={"type": "python", "handler": "hello"})

    assert made["task_id"] == "tsk_1"
    assert len({got.headers["idempotency-key"] for got in receiver.got}) == 1
    assert len(receiver.got) == 4
    assert waits[0] == 7
    assert {got.headers["authorization"] for got in receiver.got} == {"Bearer a-key"}
    assert len({got.port for got in receiver.got}) == 1


def test_two_requests_have_two_keys(client: Client, receiver: Receiver) -> None:
    receiver.answers = [(201, {}, b"{}")]

    client.tasks.create(delay_sec=5)
    client.tasks.create(delay_sec=5)

    assert len({got.headers["idempotency-key"] for got in receiver.got}) == 2


def test_what_may_not_be_repeated_is_tried_once(client: Client, receiver: Receiver) -> None:
    receiver.answers = [(503, {}, problem("unavailable"))]

    with pytest.raises(Unavailable):
        client.schedules.change("report", description="new")

    assert len(receiver.got) == 1


def test_what_an_unanswered_try_has_deleted_is_deleted(client: Client, receiver: Receiver) -> None:
    receiver.answers = [(500, {}, problem("internal")), (404, {}, problem("not_found"))]

    client.schedules.delete("report")

    with pytest.raises(ApiError, match="not_found"):
        client.schedules.delete("report")


def test_what_an_unanswered_try_may_have_written_is_not_said_to_be_anothers(
    client: Client, receiver: Receiver
) -> None:
    receiver.answers = [(500, {}, problem("internal")), (412, {}, problem("version_mismatch"))]

    with pytest.raises(Unavailable, match="an earlier try"):
        client.schedules.replace("report", {"cron": "@daily"}, version=17)
    with pytest.raises(ApiError, match="As it is") as refused:
        client.schedules.replace("report", {"cron": "@daily"}, version=17)

    assert not isinstance(refused.value, Unavailable)
    assert refused.value.code == "version_mismatch"


def test_a_key_is_asked_for_once_because_its_answer_is_kept_nowhere(
    client: Client, receiver: Receiver
) -> None:
    receiver.answers = [(503, {}, problem("unavailable"))]

    with pytest.raises(Unavailable):
        client.keys.create("worker")

    assert len(receiver.got) == 1
    assert "idempotency-key" not in receiver.got[0].headers


def test_an_api_that_stays_away_is_unavailable(waits: list[float]) -> None:
    client = Client("http://127.0.0.1:1", "a-key")
    client.transport.sleep = waits.append

    with pytest.raises(Unavailable, match="unreachable") as refused:
        client.schedules.get("report")

    assert refused.value.status == 0
    assert len(waits) == client.transport.tries - 1
    assert waits == sorted(waits) or max(waits) <= 30


def test_a_refusal_says_where_and_why(client: Client, receiver: Receiver) -> None:
    fault = {"pointer": "/cron", "code": "never_fires", "message": "31 February never comes."}
    body = {"code": "invalid_schedule", "detail": "1 field needs attention.", "errors": [fault]}
    receiver.answers = [(422, {}, json.dumps(body).encode())]

    with pytest.raises(ApiError, match="/cron: 31 February never comes") as refused:
        client.schedules.create(name="x", cron="0 0 31 2 *")

    assert (refused.value.status, refused.value.code) == (422, "invalid_schedule")
    assert len(receiver.got) == 1


def test_what_is_no_json_is_shown_as_it_is(client: Client, receiver: Receiver) -> None:
    receiver.answers = [(403, {}, b"<html>Forbidden</html>")]

    with pytest.raises(ApiError, match="<html>Forbidden"):
        client.runs.get("sch_A.20261118T120000Z")


def test_a_page_of_somebody_elses_is_no_answer_of_the_apis(
    client: Client, receiver: Receiver
) -> None:
    receiver.answers = [(200, {}, b"<html>Welcome</html>")]

    with pytest.raises(ApiError, match="200 unknown: <html>Welcome"):
        client.schedules.get("report")


def test_an_api_may_stand_behind_a_path(receiver: Receiver) -> None:
    receiver.answers = [(200, {}, b"{}")]
    client = Client(f"{receiver.url}/scheduler/", "a-key")

    client.tasks.cancel("tsk_1/../../keys?x#y")
    client.transport.close()

    (got,) = receiver.got
    assert got.path == "/scheduler/v1/tasks/tsk_1%2F..%2F..%2Fkeys%3Fx%23y/cancel"


def test_what_may_not_be_repeated_is_not_lost_to_a_connection_closed_long_ago(
    client: Client, receiver: Receiver
) -> None:
    receiver.answers = [(200, {}, b"{}")]
    client.schedules.get("report")
    kept = client.transport._connection().sock  # noqa: SLF001 to wait for its end
    receiver.hang_up()
    assert select.select([kept], [], [], 5)[0]

    client.schedules.change("report", description="new")

    assert [got.method for got in receiver.got] == ["GET", "PATCH"]


def test_pages_are_walked_to_the_last_also_through_an_empty_one(
    client: Client, receiver: Receiver
) -> None:
    pages = [([1, 2], "a"), ([], "b"), ([3], None)]
    receiver.answers = [
        (200, {}, json.dumps({"data": data, "next_cursor": cursor}).encode())
        for data, cursor in pages
    ]

    found: list[Any] = list(client.schedules.iter(status="active", tag=None, mine=True))

    assert found == [1, 2, 3]
    assert [got.path.partition("?")[2] for got in receiver.got] == [
        "status=active&mine=true",
        "status=active&mine=true&cursor=a",
        "status=active&mine=true&cursor=b",
    ]


def test_a_schedule_is_replaced_only_as_it_was_seen(client: Client, receiver: Receiver) -> None:
    receiver.answers = [(200, {}, b"{}")]

    client.schedules.replace("a name/with slash", {"cron": "@daily"}, version=17)

    (got,) = receiver.got
    assert got.path == "/v1/schedules/a%20name%2Fwith%20slash"
    assert got.headers["if-match"] == '"17"'


def test_waiting_for_a_run_ends_with_its_outcome_or_with_the_time(
    client: Client, receiver: Receiver, waits: list[float]
) -> None:
    states = ("running", "retrying", "succeeded")
    receiver.answers = [(200, {}, json.dumps({"status": each}).encode()) for each in states]

    assert client.runs.wait("sch_A.20261118T120000Z")["status"] == "succeeded"
    assert len(waits) == 2
    receiver.answers = [(200, {}, b'{"status":"running"}')]
    with pytest.raises(TimeoutError, match="is running after 0 s"):
        client.runs.wait("sch_A.20261118T120000Z", timeout_sec=0)


@pytest.mark.parametrize("url", ["", "localhost:8787", "ftp://host"])
def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.delenv("ONTHEDOT_URL", raising=False)

    with pytest.raises(ValueError, match="no address of the API"):
        Client(url, "a-key")


def test_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTHEDOT_URL", "https://api.example/\n")
    monkeypatch.setenv("ONTHEDOT_API_KEY", "a-key\n")

    client = Client()

    assert (client.transport.url, client.transport.key) == ("https://api.example", "a-key")
    assert "a-key" not in repr(client)
