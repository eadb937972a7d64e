"""Receivers over TLS: whom nobody vouches for is sent nothing, and slow ones have no more time."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from botocore.exceptions import HTTPClientError

from bench import https_receiver
from onthedot.store import aws, clock
from onthedot.store.aws import Exchange
from onthedot.targets.attempt_outcome import CLOSED
from onthedot.targets.aws import function
from onthedot.targets.call import Call
from onthedot.targets.http import http_client, trust
from onthedot.targets.http.web_exchange import NoResponse, Request, Response
from onthedot.work import handler_pool
from tests.engines.place import surroundings
from tests.targets.receiver import call_fields

BODY = b"{}"
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a certificate of localhost with its key, which it has signed itself."""
    return https_receiver.certificate(tmp_path_factory.mktemp("tls"))


@contextmanager
def serving(certificate: Path, *, reads: bool = True) -> Iterator[tuple[int, list[bytes]]]:
    """Serves one connection after another; one that does not read only shakes hands."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    over, got = Event(), list[bytes]()

    def serve() -> None:
        while not over.is_set():
            with suppress(OSError), secured() as made:
                while reads and (text := made.recv(65_536)):
                    got.append(text)
                    # Its head comes by itself.
                    if text.endswith(BODY):
                        made.sendall(ANSWER)
                over.wait(30)

    def secured() -> ssl.SSLSocket:
        return context.wrap_socket(server.accept()[0], server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        thread = Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1], got
        finally:
            over.set()
            thread.join()


def trusting(settings: pytest.MonkeyPatch, certificate: Path) -> None:
    """Takes the certificate for one that somebody vouches for."""
    context = ssl.create_default_context(cafile=certificate)
    settings.setattr(http_client, "_TRUST", context)


def asked(url: str, body: bytes = BODY) -> Response | NoResponse:
    request = Request(method="POST", url=url, headers={}, body=body, patience_sec=1.5)
    return http_client.send(request)


@pytest.mark.usefixtures("allowed")
def test_whom_nobody_vouches_for_is_sent_nothing(certificate: Path) -> None:
    with serving(certificate) as (port, got):
        answer = asked(f"https://localhost:{port}/")

    assert isinstance(answer, NoResponse)
    assert answer.kind == "failed"
    assert "self-signed certificate" in answer.message
    assert got == []


def test_certificates_are_judged_alike_on_every_python() -> None:
    """What 3.13 refuses by default and 3.11 does not, and the reverse."""
    flags = trust.made().verify_flags

    assert not flags & ssl.VERIFY_X509_STRICT
    assert flags & ssl.VERIFY_X509_PARTIAL_CHAIN


@pytest.mark.usefixtures("allowed")
def test_a_bundle_of_ones_own_is_trusted_beside_the_system(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(trust.VARIABLE, str(certificate))
    context = trust.made()
    monkeypatch.setattr(http_client, "_TRUST", context)
    with serving(certificate) as (port, _):
        answer = asked(f"https://localhost:{port}/")
        http_client._idle.clear()  # noqa: SLF001

    assert isinstance(answer, Response)
    monkeypatch.delenv(trust.VARIABLE)
    own, system = context.cert_store_stats(), trust.made().cert_store_stats()
    assert own["x509"] == system["x509"] + 1


@pytest.mark.usefixtures("allowed")
def test_a_certificate_of_another_name_is_no_certificate(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting(monkeypatch, certificate)
    with serving(certificate) as (port, got):
        answer = asked(f"https://127.0.0.1:{port}/")

    assert isinstance(answer, NoResponse)
    assert "certificate is not valid for '127.0.0.1'" in answer.message
    assert got == []


@pytest.mark.usefixtures("allowed")
def test_a_connection_over_tls_is_used_again(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting(monkeypatch, certificate)
    with serving(certificate) as (port, _):
        answers = [asked(f"https://localhost:{port}/") for _ in range(3)]
        http_client._idle.clear()  # noqa: SLF001 the receiver serves one connection at a time

    assert [each.body for each in answers if isinstance(each, Response)] == [b"ok"] * 3


@pytest.mark.usefixtures("allowed")
def test_one_that_does_not_read_over_tls_has_no_more_time_than_any(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting(monkeypatch, certificate)
    began = time.monotonic()
    with serving(certificate, reads=False) as (port, _):
        answer = asked(f"https://localhost:{port}/", b"x" * 20_000_000)
        took_sec = time.monotonic() - began

    assert isinstance(answer, NoResponse)
    assert answer.kind == "timed_out"
    assert took_sec < 10


@pytest.mark.usefixtures("allowed")
def test_a_handshake_that_does_not_come_has_no_more_time_than_any() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        answer = asked(f"https://localhost:{silent.getsockname()[1]}/")

    assert isinstance(answer, NoResponse)
    assert answer.kind == "timed_out"


@pytest.mark.usefixtures("allowed")
def test_an_exchange_over_tls_is_broken_off(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting(monkeypatch, certificate)
    exchange = Exchange()
    with serving(certificate) as (port, got):
        url = f"https://localhost:{port}/"
        request = Request(method="POST", url=url, headers={}, body=b"half", patience_sec=20)
        part = handler_pool.submit(lambda: http_client.send(request, exchange))
        _until_heard(got, b"half")
        exchange.break_off()

        assert part.result(2) == NoResponse("broken_off", CLOSED)


def test_a_function_that_is_called_over_tls_is_broken_off(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = {"function_arn": "arn:aws:lambda:us-east-1:1:function:any"}
    deadline_ms = clock.now_ms() + 20_000
    call = Call(**call_fields(target=target, deadline_ms=deadline_ms))
    with surroundings(monkeypatch), serving(certificate) as (port, got):
        monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"https://localhost:{port}")
        aws.patient_client.cache_clear()
        part = handler_pool.submit(lambda: function.call(call))
        _until_heard(got, b"order")
        call.exchange.break_off()

        with pytest.raises(HTTPClientError):
            part.result(2)
    aws.patient_client.cache_clear()


def _until_heard(got: list[bytes], text: bytes) -> None:
    deadline = time.monotonic() + 10
    while text not in b"".join(got):
        assert time.monotonic() < deadline
        time.sleep(0.01)
