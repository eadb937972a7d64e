"""Receivers that bend HTTP: none holds a worker up, and none answers for another's request."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Event
from typing import Any

import pytest

from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Done, after
from onthedot.targets.call import Call
from onthedot.targets.http import http_client
from onthedot.targets.http.web_exchange import NoResponse, Request, Response
from onthedot.work.target_call import deliver
from tests.schedule.samples import NOON_MS, run, task
from tests.targets.receiver import GOES_ON, Receiver, call_fields, receiving

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def called(url: str, *, patience_sec: float = 30, **target: Any) -> Answer:  # noqa: ANN401 any field
    """Calls an http target that may take so long."""
    deadline_ms = clock.now_ms() + int(patience_sec * 1000)
    fields = {"target": {"type": "http", "url": url, **target}, "deadline_ms": deadline_ms}
    return deliver(Call(**call_fields(**fields)))


def body(answer: Answer) -> Any:  # noqa: ANN401 whatever came
    assert isinstance(answer, Done), answer
    return answer.result["body"]


def failure(answer: Answer) -> str:
    """Returns what a failed attempt, which is tried again, failed of."""
    assert isinstance(answer, Again), answer
    assert answer.error is not None
    return f"{answer.outcome}: {answer.error['message']}"


def posted(url: str, text: bytes = b"{}", *, patience_sec: float = 2) -> Response | NoResponse:
    """Sends a request of one's own."""
    return http_client.send(
        Request(method="POST", url=url, headers={}, body=text, patience_sec=patience_sec)
    )


@pytest.mark.parametrize("code", [100, 102, 103, 199])
def test_an_interim_answer_is_passed_over_for_the_one_that_follows(
    receiver: Receiver, code: int
) -> None:
    assert body(called(f"{receiver.url}/interim?code={code}")) == {"done": True}


def test_an_answer_that_comes_after_an_interim_one_is_not_the_next_requests(
    receiver: Receiver,
) -> None:
    answers = [body(called(f"{receiver.url}{path}")) for path in ("/interim", "/echo")]

    assert answers[0] == {"done": True}
    assert "webhook-id" in answers[1]
    assert len({got.port for got in receiver.got}) == 1


def test_a_switch_to_another_protocol_is_no_answer(receiver: Receiver) -> None:
    receiver.wire = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n"

    assert failure(called(f"{receiver.url}/wire")).startswith("failed: BadStatusLine")
    assert body(called(f"{receiver.url}/ok")) == {"done": True}


@pytest.mark.parametrize("text", sorted(GOES_ON))
def test_an_answer_without_end_is_given_up_long_before_its_time(
    receiver: Receiver, text: str
) -> None:
    began = time.monotonic()
    answer = called(f"{receiver.url}/endless?text={text}")

    assert failure(answer) == "failed: HTTPException: the answer goes on after 1048576 bytes"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + b"x-many: yes\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nx-long: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200" + b" " * 100_000,
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"\r\n\r\n\r\n",
    ],
    ids=["many headers", "a long header", "a long status", "HTTP/2", "status 20", "nothing"],
)
def test_a_head_that_is_none_is_a_failure(receiver: Receiver, head: bytes) -> None:
    receiver.wire = head

    assert failure(called(f"{receiver.url}/wire?close=yes")).startswith("failed: ")


def test_a_body_that_breaks_off_is_a_failure_however_its_end_was_announced(
    receiver: Receiver,
) -> None:
    assert failure(called(f"{receiver.url}/short")).startswith("failed: IncompleteRead")
    receiver.wire = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc"
    assert failure(called(f"{receiver.url}/wire?close=yes")).startswith("failed: IncompleteRead")


def test_more_than_was_announced_is_nobody_elses_answer(receiver: Receiver) -> None:
    receiver.wire = OK + b"HTTP/1.1 500 Mine\r\ncontent-length: 0\r\n\r\n"

    assert body(called(f"{receiver.url}/wire")) == "ok"
    assert body(called(f"{receiver.url}/ok")) == {"done": True}


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok",
        b"HTTP/1.1 200\r\ncontent-length: two\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-end: yes\r\n\r\n",
    ],
    ids=["HTTP/1.0", "no length", "a word for a length", "a negative length", "trailers"],
)
def test_an_answer_in_an_older_or_odder_form_is_read(receiver: Receiver, answer: bytes) -> None:
    receiver.wire = answer

    assert body(called(f"{receiver.url}/wire?close=yes")) == "ok"


def test_what_is_packed_though_nobody_asked_for_it_is_not_unpacked(receiver: Receiver) -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    receiver.answers = [(200, {"content-encoding": "gzip"}, bomb)]

    answer = called(f"{receiver.url}/answer")

    assert len(bomb) > 4_096
    assert len(body(answer)) <= 2_000


@pytest.mark.parametrize("levels", [30_000, 990, 101])
def test_a_body_nested_without_end_is_kept_as_its_text(receiver: Receiver, levels: int) -> None:
    receiver.answers = [(200, {}, b"[" * levels + b"]" * levels)]

    answer = called(f"{receiver.url}/answer")

    life = after(run(status="running", attempt=1).life, task(), answer, now_ms=NOON_MS, fraction=0)
    assert life.status == "succeeded"
    assert body(answer).startswith("[[[")


@pytest.mark.parametrize(
    "said", ["9" * 5_000, "\u0665", "Mon, 01 Jan 0001 00:00:00 -0000", "Fri, 31 Dec 99999 0:0:0"]
)
def test_a_time_to_come_back_at_that_is_none_is_passed_over(receiver: Receiver, said: str) -> None:
    receiver.wire = (
        b"HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 0\r\nretry-after: "
        + said.encode()
        + b"\r\n\r\n"
    )

    assert failure(called(f"{receiver.url}/wire?close=yes")) == "failed: the target answered 503"


@pytest.mark.parametrize(
    ("to", "path"),
    [
        (b"/ok?a b", "/ok?a%20b"),
        ("/ok?\u00fc".encode(), "/ok?%C3%BC"),
        (b"/ok?x=%20#part", "/ok?x=%20"),
        (b"?y", "/wire?y"),
    ],
)
def test_a_redirect_is_followed_however_its_address_is_written(
    receiver: Receiver, to: bytes, path: str
) -> None:
    receiver.wire = b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: " + to + b"\r\n\r\n"

    called(f"{receiver.url}/wire", follow_redirects=True)

    assert receiver.got[1].path == path


@pytest.mark.parametrize(
    "to", ["http://[::1", "http://127.0.0.1:99999/", "http://a..b/", "ftp://h/"]
)
def test_a_redirect_to_no_address_fails_the_attempt_only(receiver: Receiver, to: str) -> None:
    answer = called(f"{receiver.url}/redirect?to={to}", follow_redirects=True)

    assert not isinstance(answer, Done)
    assert "no http or https address" in repr(answer) or "ConnectionFailed" in repr(answer)


def test_where_a_request_ends_is_not_the_tasks_to_say(receiver: Receiver) -> None:
    """A length of its own would let the rest of the body pass for somebody's next request."""
    own = {
        "Content-Length": "3",
        "Transfer-Encoding": "chunked",
        "Connection": "close",
        "Expect": "100-continue",
        "Webhook-Id": "another",
        "X-Team": "billing",
    }
    first = called(f"{receiver.url}/ok", headers=own, body="0\r\n\r\nPOST /stolen HTTP/1.1\r\n\r\n")
    second = called(f"{receiver.url}/ok")

    assert body(first) == body(second) == {"done": True}
    assert [got.path for got in receiver.got] == ["/ok", "/ok"]
    assert len({got.port for got in receiver.got}) == 1
    (headers, _) = (got.headers for got in receiver.got)
    assert headers["content-length"] == str(len(receiver.got[0].body))
    assert headers["webhook-id"] == call_fields()["run_id"]
    assert headers["x-team"] == "billing"
    assert headers.keys().isdisjoint({"transfer-encoding", "connection", "expect"})


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Yields a resolver that answers only once the test is over, but for names of this machine."""
    over = Event()
    real = socket.getaddrinfo

    def look_up(host: str, port: int, **how: Any) -> Any:  # noqa: ANN401 what the real one takes and gives
        if host.endswith(".example"):
            over.wait(60)
        return real("127.0.0.1", port, **how)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield over
    over.set()


@pytest.mark.usefixtures("stuck")
def test_a_resolver_that_hangs_holds_nobody_beyond_the_deadline(receiver: Receiver) -> None:
    began = time.monotonic()
    hung = called("http://slow.example/", patience_sec=0.3)
    answered = called(f"{receiver.url}/ok".replace("127.0.0.1", "localhost"))

    assert failure(hung) == "timed_out: no answer within 0 s"
    assert isinstance(answered, Done)
    assert time.monotonic() - began < 5


def test_a_name_that_answers_late_is_of_no_more_interest(stuck: Event, receiver: Receiver) -> None:
    port = receiver.url.rsplit(":", 1)[1]
    hung = called(f"http://slow.example:{port}/ok", patience_sec=0.2)
    stuck.set()
    fresh = called(f"http://slow.example:{port}/ok")

    assert failure(hung).startswith("timed_out")
    assert isinstance(fresh, Done)
    assert len(receiver.got) == 1


@pytest.mark.usefixtures("allowed")
def test_a_host_that_takes_no_connection_is_given_up_before_the_tasks_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_client, "CONNECT_MAX_SEC", 0.3)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as waiting:
        for _ in range(4):
            made = waiting.enter_context(socket.socket())
            made.settimeout(0)
            made.connect_ex(full.getsockname())
        answer = called(f"http://127.0.0.1:{full.getsockname()[1]}/")

    assert failure(answer) == "failed: OSError: 127.0.0.1 took no connection within 0 s"


@pytest.mark.usefixtures("allowed")
def test_a_receiver_that_does_not_read_has_no_more_time_than_any() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        began = time.monotonic()
        answer = posted(
            f"http://127.0.0.1:{deaf.getsockname()[1]}/", b"x" * 50_000_000, patience_sec=0.5
        )

    assert isinstance(answer, NoResponse)
    assert answer.kind == "timed_out"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("host", ["\u2460\u2461\u2466.\u24ea.\u24ea.\u2460", "127.0.0.1."])
def test_digits_in_another_script_lead_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.delenv("TARGET_NETWORKS", raising=False)
    http_client._networks.cache_clear()  # noqa: SLF001 the setting is read once
    with receiving() as receiver:
        answer = posted(f"http://{host}:{receiver.url.rsplit(':', 1)[1]}/ok")

    assert isinstance(answer, NoResponse)
    assert receiver.got == []


def test_a_name_in_letters_of_its_own_is_asked_for_in_ascii(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: str, port: int, **how: Any) -> Any:  # noqa: ANN401 what the real one takes and gives
        asked.append(host)
        return real("127.0.0.1", port, **how)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    port = receiver.url.rsplit(":", 1)[1]

    assert body(called(f"http://b\u00fccher.example:{port}/echo"))["Host"] == (
        f"xn--bcher-kva.example:{port}"
    )
    assert asked == ["b\u00fccher.example"]
    assert json.loads(receiver.got[0].body) == {"order": 77}
