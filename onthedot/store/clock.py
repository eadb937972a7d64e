"""Tells the time by the store's clock, as far as its answers show how far ours is off. It waits."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass

CORRECTED_MAX_MS = 2_000
# Half a second in milliseconds: an answer tells the time to the second.
_HALF_GRAIN_MS = 500


@dataclass(frozen=True, slots=True)
class Skew:
    """Two bounds, in milliseconds, of the true time less the local time."""

    low_ms: int = -(1 << 40)
    high_ms: int = 1 << 40

    def seen(self, second: int, sent_ms: int, got_ms: int) -> Skew:
        """Narrows the bounds by an answer: the store's clock showed `second` in between."""
        return Skew(
            max(self.low_ms, second * 1000 - got_ms),
            min(self.high_ms, second * 1000 + 1000 - sent_ms),
        )

    def not_before(self, true_ms: int, local_ms: int) -> Skew:
        """Narrows the bounds: it was `true_ms` or later when the local clock showed `local_ms`."""
        return Skew(max(self.low_ms, true_ms - local_ms), self.high_ms)

    @property
    def known(self) -> bool:
        """Tells whether there was an answer, and no answer contradicts another."""
        return -(1 << 40) < self.low_ms <= self.high_ms

    @property
    def half_width_ms(self) -> int:
        """Returns how far the true value may be from the middle."""
        return (self.high_ms - self.low_ms) // 2

    @property
    def offset_ms(self) -> int:
        """Returns what to add to the local clock: 0 as long as 0 is possible.

        It stays near the certain bound: after a slow answer the middle is wrong by half the delay.
        """
        if not self.known or self.low_ms <= 0 <= self.high_ms:
            return 0
        middle = (self.low_ms + self.high_ms) // 2
        if self.low_ms > 0:
            return min(middle, self.low_ms + _HALF_GRAIN_MS)
        return max(middle, self.high_ms - _HALF_GRAIN_MS)

    @property
    def offset_never_early_ms(self) -> int:
        """Returns what a worker adds: half a second late is better than half a second early.

        It is not later: with a slower clock a worker holds leases that others see run out.
        """
        return max(self.low_ms, self.offset_ms - _HALF_GRAIN_MS) if self.offset_ms else 0

    @property
    def hopeless(self) -> bool:
        """Tells whether the clock is too wrong to be corrected. Then it must claim nothing."""
        return self.known and (self.low_ms > CORRECTED_MAX_MS or self.high_ms < -CORRECTED_MAX_MS)


_offset: ContextVar[int] = ContextVar("offset", default=0)


def local_ms() -> int:
    """Reads this machine's clock without correction."""
    return time.time_ns() // 1_000_000


def now_ms() -> int:
    """Returns milliseconds since the Unix epoch by the store's clock."""
    return local_ms() + _offset.get()


def correct(offset_ms: int) -> None:
    """Adds an offset to this machine's clock for the rest of the invocation."""
    _offset.set(offset_ms)


def monotonic() -> float:
    """Returns seconds by a clock that no correction moves."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    time.sleep(seconds)
