"""Defines the errors of a client: what the API refuses, and that it does not answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """The API's own answer: `code` says what is wrong, `errors` says where."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        """Keeps the problem's parts. Its sentences are the text of the exception."""
        self.status = status
        self.code = str(problem.get("code", "unknown"))
        self.detail = str(problem.get("detail", ""))
        self.errors: list[dict[str, Any]] = list(problem.get("errors", ()))
        self.request_id = str(problem.get("request_id", ""))
        said = "; ".join(
            f"{one.get('pointer', '')}: {one.get('message', '')}" for one in self.errors
        )
        super().__init__(f"{status} {self.code}: {self.detail}" + (f" ({said})" if said else ""))


class Unavailable(ApiError):  # noqa: N818 it says what it is
    """In no try did the API answer, or it said that it cannot."""
