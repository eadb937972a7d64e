"""How far this machine's clock is from the store's, from answers that carry its whole seconds."""

from __future__ import annotations

from dataclasses import dataclass

CORRECTED_MAX_MS = 2_000
# An answer says the time to the second.
_HALF_GRAIN_MS = 500


@dataclass(frozen=True, slots=True)
class Skew:
    """True time less local time lies between two bounds, in milliseconds."""

    low_ms: int = -(1 << 40)
    high_ms: int = 1 << 40

    def seen(self, second: int, sent_ms: int, got_ms: int) -> Skew:
        """Intersect with what an answer says: the store's clock showed `second` in between."""
        return Skew(
            max(self.low_ms, second * 1000 - got_ms),
            min(self.high_ms, second * 1000 + 1000 - sent_ms),
        )

    def not_before(self, true_ms: int, local_ms: int) -> Skew:
        """Learn that it was no earlier than `true_ms` when the local clock showed `local_ms`."""
        return Skew(max(self.low_ms, true_ms - local_ms), self.high_ms)

    @property
    def known(self) -> bool:
        """Tell whether any answer has been seen, and none contradicts another."""
        return -(1 << 40) < self.low_ms <= self.high_ms

    @property
    def half_width_ms(self) -> int:
        """How sure the midpoint is."""
        return (self.high_ms - self.low_ms) // 2

    @property
    def offset_ms(self) -> int:
        """What to add to the local clock: nothing while zero is as likely as anything.

        Hardly more than is certain: after a slow answer the middle would be off by half its delay.
        """
        if not self.known or self.low_ms <= 0 <= self.high_ms:
            return 0
        middle = (self.low_ms + self.high_ms) // 2
        if self.low_ms > 0:
            return min(middle, self.low_ms + _HALF_GRAIN_MS)
        return max(middle, self.high_ms - _HALF_GRAIN_MS)

    @property
    def offset_never_early_ms(self) -> int:
        """What a worker adds: rather late by a second's grain than early by it.

        Not later: by a clock that is slow by more, it would hold leases that others see run out.
        """
        return max(self.low_ms, self.offset_ms - _HALF_GRAIN_MS) if self.offset_ms else 0

    @property
    def hopeless(self) -> bool:
        """Too far off to be corrected: such a machine must claim nothing."""
        return self.known and (self.low_ms > CORRECTED_MAX_MS or self.high_ms < -CORRECTED_MAX_MS)
