"""Reads an HTTP answer with limits on its time and its length."""

from __future__ import annotations

import io
from collections.abc import Callable
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead
from typing import Any

# Bytes of everything that comes, with framing and interim answers. A body has a lower limit.
BYTES_MAX = 1 << 20
_CONTINUE, _SWITCHING, _OK = 100, 101, 200


class Reply(HTTPResponse):
    """`patience` returns the seconds that the next bytes may take, or raises if there are none."""

    def __init__(self, sock: Any, *, patience: Callable[[], float], **given: Any) -> None:
        super().__init__(sock, **given)
        bounded = _Bounded(self.fp.detach(), lambda: sock.settimeout(patience()))
        self.fp: Any = io.BufferedReader(bounded)

    def _read_status(self) -> tuple[str, int, str]:
        """Reports each interim answer as one that the library skips.

        If one were taken for the answer, the connection's next request would get the real one.
        """
        version, status, reason = super()._read_status()  # type: ignore[misc] # the library's own, which its types do not show
        if status == _SWITCHING:
            raise BadStatusLine("101, and nobody asked for another protocol")
        return version, _CONTINUE if status < _OK else status, reason


def beginning(answered: HTTPResponse, most: int) -> bytes:
    """Reads up to `most` bytes of a body. A body that breaks off before its end is no answer."""
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
