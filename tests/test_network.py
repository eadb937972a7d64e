"""The tests themselves reach nothing beyond this machine."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError

# A documentation address (RFC 5737): it belongs to nobody, even if the guard fails.
ELSEWHERE = ("192.0.2.1", 443)


# The guard warns before it raises.
@pytest.mark.filterwarnings("ignore:A test tried to use socket:UserWarning")
def test_the_network_is_closed() -> None:
    with socket.socket() as client, pytest.raises(SocketConnectBlockedError):
        client.connect(ELSEWHERE)


def test_this_machine_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
