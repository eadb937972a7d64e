"""No target is reached where targets may not be, in whatever way its address is written."""

from __future__ import annotations

import socket

import pytest

from onthedot.targets.http import http_client
from onthedot.targets.http.addresses import allowed, networks
from onthedot.targets.http.web_exchange import NoResponse, Request, Response
from tests.targets.receiver import Receiver, receiving

PRIVATE = """
    10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 127.0.0.1 127.8.9.10 0.0.0.0 169.254.169.254
    224.0.0.1 240.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1
    ::1 :: fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 ff0e::1
    ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:a00:1 ::127.0.0.1
    fec0::1 3fff::1 5f00::1 100::1 2001:db8::1 2001:2::1 2002:808:808::1
    192.0.0.1 192.0.0.9 192.0.0.170 192.0.0.192 192.88.99.1
    64:ff9b::a00:1 64:ff9b:1::1 2002:a00:1:: 2002:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2
""".split()
PUBLIC = ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not allowed(address, ())


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    assert allowed(address, ())


def test_the_name_of_a_target_does_not_tell_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.11.12.13", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    seen = asked("http://payroll.internal/")

    assert seen == NoResponse(
        "forbidden", "payroll.internal is at an address where no target may be"
    )


def test_what_the_operator_names_is_allowed_and_nothing_beside_it() -> None:
    opened = networks("10.1.0.0/16, 127.0.0.1/32,::1/128")

    for address in ("10.1.2.3", "127.0.0.1", "::1", "::ffff:10.1.2.3"):
        assert allowed(address, opened)
    for address in ("10.2.0.1", "127.0.0.2", "::2", "169.254.169.254"):
        assert not allowed(address, opened)


def asked(url: str, *, follow_redirects: bool = False) -> Response | NoResponse:
    """Sends a request that has two seconds."""
    return http_client.send(
        Request(
            method="POST",
            url=url,
            headers={},
            body=b"{}",
            patience_sec=2,
            follow_redirects=follow_redirects,
        )
    )


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "user@127.0.0.1",
    ],
)
def test_a_receiver_on_this_machine_hears_nothing_unless_it_is_allowed(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.delenv("TARGET_NETWORKS", raising=False)
    http_client._networks.cache_clear()  # noqa: SLF001 the setting is read once
    with receiving() as receiver:
        port = receiver.url.rsplit(":", 1)[1]
        answer = asked(f"http://{host}:{port}/ok")

    assert isinstance(answer, NoResponse)
    assert answer.kind == "forbidden"
    assert receiver.got == []


@pytest.mark.parametrize("url", ["ftp://8.8.8.8/", "file:///etc/passwd", "http:///", "//host/"])
def test_what_is_no_http_address_is_refused(url: str) -> None:
    answer = asked(url)

    assert isinstance(answer, NoResponse)
    assert answer.kind == "forbidden"


def test_a_name_is_looked_up_once_and_connected_to_as_it_was_checked(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers with a public address first and a private one then gains nothing."""
    answers = iter(["127.0.0.1", "169.254.169.254"])
    port = int(receiver.url.rsplit(":", 1)[1])

    def look_up(_host: str, _port: int, **_: object) -> list[tuple[object, ...]]:
        place = (next(answers), port)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    first = asked(f"http://rebinding.example:{port}/close-after")
    second = asked(f"http://rebinding.example:{port}/ok")

    assert isinstance(first, Response)
    assert isinstance(second, NoResponse)
    assert second.kind == "forbidden"


def test_an_address_that_is_not_allowed_is_passed_over_for_one_that_is(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(receiver.url.rsplit(":", 1)[1])
    places = [("10.0.0.1", port), ("127.0.0.1", port)]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    assert isinstance(asked(f"http://two.example:{port}/ok"), Response)


@pytest.mark.usefixtures("allowed")
def test_a_receiver_on_ipv6_is_reached_when_it_is_allowed() -> None:
    with receiving("::1") as receiver:
        assert isinstance(asked(f"{receiver.url}/ok"), Response)
