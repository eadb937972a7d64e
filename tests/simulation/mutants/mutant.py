"""What a planted fault is: the one thing that is left out, and where that shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Patch = tuple[Any, str, Any]


@dataclass(frozen=True, slots=True)
class Mutant:
    """What is left out, why it is there, and the histories in which that shows."""

    name: str
    rule: str
    patches: Callable[[], list[Patch]]
    profiles: tuple[str, ...]
    # A first killer, and how many seeds from there on a changed world may need.
    seed: int = 0
    within: int = 150
