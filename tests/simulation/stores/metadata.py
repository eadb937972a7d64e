"""What every answer carries: the service's own time, in whole seconds."""

from __future__ import annotations

from email.utils import formatdate
from functools import lru_cache
from typing import Any


def metadata(true_us: int) -> dict[str, Any]:
    return {
        "HTTPStatusCode": 200,
        "HTTPHeaders": {"date": _http_date(true_us // 1_000_000)},
        "RetryAttempts": 0,
    }


@lru_cache(maxsize=4096)
def _http_date(second: int) -> str:
    return formatdate(second, usegmt=True)
