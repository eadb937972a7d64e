"""Sends a program's requests to the API through the front door."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

_TIMEOUT_SEC = 120


@dataclass(frozen=True, slots=True)
class Caller:
    """A program with a key."""

    port: int
    key: str = ""

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Returns the answer's status and body."""
        headers = {"content-type": "application/json"}
        if self.key:
            headers["authorization"] = f"Bearer {self.key}"
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT_SEC)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        return answer.status, json.loads(content) if content else None
