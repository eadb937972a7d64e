"""A payload as it is stored: JSON text, so that it comes back exactly as it was sent.

The store's own maps bound the depth and the numbers, and take far longer to read.
"""

from __future__ import annotations

import json
from typing import Any


def written(payload: Any) -> str:  # noqa: ANN401 any JSON
    """Write it."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    """Read it; what a former version stored as a map is read as it is."""
    return json.loads(stored) if isinstance(stored, str) else stored
