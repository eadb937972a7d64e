"""An HTTP answer while it is read: how long it takes, and how long it is, has its limits."""

from __future__ import annotations

import io
from collections.abc import Callable
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead
from typing import Any

# Of everything that comes, framing and interim answers included; a body has its own, lower limit.
BYTES_MAX = 1 << 20
_CONTINUE, _SWITCHING, _OK = 100, 101, 200


class Reply(HTTPResponse):
    """`patience` says how many seconds the next bytes may take, or refuses to wait any longer."""

    def __init__(self, sock: Any, *, patience: Callable[[], float], **given: Any) -> None:
        super().__init__(sock, **given)
        bounded = _Bounded(self.fp.detach(), lambda: sock.settimeout(patience()))
        self.fp: Any = io.BufferedReader(bounded)

    def _read_status(self) -> tuple[str, int, str]:
        """Let every interim answer pass for the one that the library itself passes over.

        Taken for the answer, it would leave the real one to the connection's next request.
        """
        version, status, reason = super()._read_status()  # type: ignore[misc] # the library's own, which its types do not show
        if status == _SWITCHING:
            raise BadStatusLine("101, and nobody asked for another protocol")
        return version, _CONTINUE if status < _OK else status, reason


def beginning(answered: HTTPResponse, most: int) -> bytes:
    """Read so much of a body; one that breaks off before its end is no answer."""
    body = answered.read(most)
    if answered.length and len(body) < most:
        raise IncompleteRead(body, answered.length)
    return body


class _Bounded(io.RawIOBase):
    def __init__(self, raw: Any, before_each: Callable[[], None]) -> None:
        self._raw, self._before_each, self._left = raw, before_each, BYTES_MAX

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._before_each()
        count = self._raw.readinto(buffer)
        self._left -= count or 0
        if self._left < 0:
            raise HTTPException(f"the answer goes on after {BYTES_MAX} bytes")
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
