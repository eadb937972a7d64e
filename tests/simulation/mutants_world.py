"""Planted faults that only an unkind world shows: freezes, wrong clocks, rows that vanish."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from lambdas import work as worker
from onthedot.core import decide
from onthedot.core.manifest import KEPT_SEC, Manifest
from onthedot.core.skew import CORRECTED_MAX_MS, Skew
from onthedot.flows import job

Patch = tuple[Any, str, Any]


def strays_left() -> list[Patch]:
    """A worker answers while handlers of it go on."""
    return [(worker, "runner", SimpleNamespace(leave_no_strays=lambda: None))]


def waits_for_all() -> list[Patch]:
    """An attempt ends when its handler does, however long that takes."""
    return [(job, "ABANDON_SEC", 3_600)]


def hardly_corrected() -> list[Patch]:
    """A clock is corrected by no more than it may be off."""
    original: Any = Skew.__dict__["offset_never_early_ms"]

    def offset(self: Skew) -> int:
        most = CORRECTED_MAX_MS
        return int(max(-most, min(most, original.__get__(self))))

    return [(Skew, "offset_never_early_ms", property(offset))]


def as_corrected() -> list[Patch]:
    """Two clocks that were corrected differ by a second at most, and go on so."""
    return [(decide, "MARGIN_SEC", 3)]


def since_listed() -> list[Patch]:
    """A list is kept for three days since its runs were listed first, however often carried on."""
    original = Manifest.item

    def item(self: Manifest) -> dict[str, Any]:
        return original(self) | {"expires_at": self.since_ms // 1000 + KEPT_SEC}

    return [(Manifest, "item", item)]


# A name, the rule, the fault, and the histories in which it shows.
FAULTS: tuple[Any, ...] = (
    ("strays left", "no handler outlives its worker's answer", strays_left, ("deaf", "overtime")),
    ("waits for all", "an attempt ends when its time is over", waits_for_all, ("deaf",)),
    ("hardly corrected", "a clock is corrected, however wrong", hardly_corrected, ("astray",)),
    ("as corrected", "a clock may be set after it was corrected", as_corrected, ("clocks set",)),
    ("since listed", "0173: a list outlives its minute", since_listed, ("expiring",)),
)
