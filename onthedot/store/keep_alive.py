"""Keeps a TCP connection known to the network while it waits for a slow answer."""

from __future__ import annotations

import socket

# Seconds. Networks of AWS forget a connection that is silent for 350 s. The answer would be lost,
# and the target called again.
IDLE_SEC = 45
# Probes without an answer before the connection counts as broken.
_PROBES = 8
# What it is called differs: Linux, macOS.
_IDLE_OPTION = getattr(socket, "TCP_KEEPIDLE", None) or getattr(socket, "TCP_KEEPALIVE", None)


def keep(made: socket.socket) -> None:
    """Sends a probe after each 45 s of silence. Linux alone would wait for two hours."""
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if _IDLE_OPTION is not None:
        made.setsockopt(socket.IPPROTO_TCP, _IDLE_OPTION, IDLE_SEC)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, IDLE_SEC)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _PROBES)
