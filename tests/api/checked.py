"""The API, with a look at each answer: it has exactly the fields of its shape."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from onthedot.api.door import routes
from onthedot.api.replies.route_replies import REPLIES
from tests.api.kit import Answer, Api


class CheckedApi(Api):
    """Views write dictionaries, and production does not check them: that costs too much."""

    def send(self, route: str, text: str, headers: dict[str, str], **more: Any) -> Answer:
        """Send exactly this."""
        answer = Api.send(self, route, text, headers, **more)
        method, path = route.partition("?")[0].split(" ", 1)
        found, _ = routes.find(method, path)
        if found and _has_shape(found.key, answer.status):
            _shape(found.key, answer.status).validate_python(answer.body, strict=True)
        return answer


def _has_shape(route: str, status: int) -> bool:
    shape = REPLIES.get(route, {}).get(status)
    return shape is not None and not isinstance(shape, str)


@cache
def _shape(route: str, status: int) -> TypeAdapter[Any]:
    return TypeAdapter(REPLIES[route][status])
