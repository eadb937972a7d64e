"""A call that is cancelled ends at once, wherever its thread waits, and spoils no other."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from threading import Event
from typing import Any

import pytest

from onthedot.store import aws, clock
from onthedot.store.aws import Exchange
from onthedot.targets.attempt_outcome import CLOSED, Answer, Done, Stopped
from onthedot.targets.call import Call
from onthedot.work import handler_pool
from onthedot.work.target_call import deliver
from tests.engines.place import surroundings
from tests.targets.receiver import Receiver, call_fields, receiving

FUNCTION = {"type": "lambda", "function_arn": "arn:aws:lambda:us-east-1:1:function:any"}
# What a call may take that nobody waits for any more; the receivers hang for 30.
SOON_SEC = 2.0


class Under:
    """A call under way in a thread of the runner's."""

    def __init__(self, target: dict[str, Any]) -> None:
        self.exchange = Exchange()
        deadline_ms = clock.now_ms() + 30_000
        fields = call_fields(target=target, deadline_ms=deadline_ms, exchange=self.exchange)
        self.part: Future[Answer] = handler_pool.submit(lambda: deliver(Call(**fields)))

    def broken_off(self) -> Answer:
        """Breaks it off, and gives what it says of itself then."""
        self.exchange.break_off()
        return self.part.result(SOON_SEC)


def posting(url: str) -> dict[str, Any]:
    return {"type": "http", "url": url}


def until(seen: Callable[[], object]) -> None:
    """Waits for something that another thread does."""
    deadline = time.monotonic() + 10
    while not seen():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Receiver]]:
    """Yields what stands for Lambda, and answers under a path."""
    for queue in aws.QUEUES:
        url = f"https://sqs.us-east-1.amazonaws.com/1/{queue}"
        monkeypatch.setenv(f"{queue.upper()}_QUEUE_URL", url)
    with surroundings(monkeypatch), receiving() as receiver:

        def at(path: str) -> Receiver:
            monkeypatch.setenv("AWS_ENDPOINT_URL", receiver.url + path)
            for remembered in (aws._session, aws.patient_client):  # noqa: SLF001
                remembered.cache_clear()
            return receiver

        yield at
    aws.patient_client.cache_clear()


@pytest.mark.parametrize("path", ["/hang", "/drip-head", "/drip-body"])
def test_a_receiver_that_does_not_answer_is_not_waited_for(receiver: Receiver, path: str) -> None:
    under = Under(posting(receiver.url + path))
    until(lambda: receiver.got)

    assert under.broken_off() == Stopped(note=CLOSED)


def test_the_next_call_there_has_a_connection_of_its_own(receiver: Receiver) -> None:
    assert isinstance(Under(posting(f"{receiver.url}/ok")).part.result(5), Done)
    under = Under(posting(f"{receiver.url}/hang"))
    until(lambda: len(receiver.got) == 2)
    under.broken_off()

    assert isinstance(Under(posting(f"{receiver.url}/ok")).part.result(5), Done)
    first, broken, next_one = (got.port for got in receiver.got)
    assert first == broken != next_one


def test_one_that_is_over_shuts_no_connection_that_another_has_by_now(receiver: Receiver) -> None:
    over = Under(posting(f"{receiver.url}/ok"))
    assert isinstance(over.part.result(5), Done)
    over.exchange.break_off()

    assert isinstance(Under(posting(f"{receiver.url}/ok")).part.result(5), Done)
    first, second = (got.port for got in receiver.got)
    assert first == second


def test_an_answer_that_was_there_first_is_what_came_of_it(receiver: Receiver) -> None:
    under = Under(posting(f"{receiver.url}/ok"))
    until(under.part.done)

    assert isinstance(under.broken_off(), Done)


def test_what_was_cancelled_before_its_call_is_not_called(receiver: Receiver) -> None:
    exchange = Exchange()
    exchange.break_off()
    target = posting(f"{receiver.url}/ok")

    answer = deliver(Call(**call_fields(target=target, exchange=exchange)))

    assert answer == Stopped()
    assert receiver.got == []


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_who_takes_a_connection_and_says_nothing_is_left(scheme: str) -> None:
    """Over TLS the greeting is waited for."""
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        under = Under(posting(f"{scheme}://127.0.0.1:{silent.getsockname()[1]}/"))
        taken, _ = silent.accept()
        with closing(taken):
            assert taken.recv(1)

            assert under.broken_off() == Stopped(note=CLOSED)


@pytest.mark.usefixtures("allowed")
def test_who_takes_no_connection_is_left() -> None:
    with closing(socket.create_server(("127.0.0.1", 0), backlog=0)) as full:
        others = [socket.socket() for _ in range(3)]
        for other in others:
            other.settimeout(0)
            other.connect_ex(full.getsockname())
        under = Under(posting(f"http://127.0.0.1:{full.getsockname()[1]}/"))
        until(lambda: under.exchange._waits)  # noqa: SLF001 nothing else shows where it is

        assert under.broken_off() == Stopped(note=CLOSED)
        for other in others:
            other.close()


@pytest.mark.usefixtures("allowed")
def test_a_name_that_nobody_resolves_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, over = Event(), Event()

    def getaddrinfo(*_: object, **__: object) -> list[object]:
        asked.set()
        over.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    under = Under(posting("http://slow.example/"))
    assert asked.wait(10)

    assert under.broken_off() == Stopped(note=CLOSED)
    over.set()


def test_a_function_that_does_not_answer_is_not_waited_for(
    function: Callable[[str], Receiver],
) -> None:
    receiver = function("/hang")
    under = Under(FUNCTION)
    until(lambda: receiver.got)

    assert under.broken_off() == Stopped(note=CLOSED)


def test_a_function_that_answered_keeps_its_connection(
    function: Callable[[str], Receiver],
) -> None:
    receiver = function("")
    receiver.answers = [(200, {}, b'{"done":true}')]
    over = Under(FUNCTION)
    assert over.part.result(5) == Done({"done": True})
    over.exchange.break_off()

    assert Under(FUNCTION).part.result(5) == Done({"done": True})
    first, second = (got.port for got in receiver.got)
    assert first == second


def test_the_same_client_calls_the_function_again(
    function: Callable[[str], Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection that was shut is none of its pool's."""
    function("")
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        under = Under(FUNCTION)
        silent, _ = server.accept()
        assert silent.recv(1)
        assert under.broken_off() == Stopped(note=CLOSED)

        again = Under(FUNCTION)
        taken, _ = server.accept()
        assert taken.recv(65_536)
        taken.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n7")
        assert again.part.result(5) == Done(7)
        for each in (silent, taken):
            each.close()
