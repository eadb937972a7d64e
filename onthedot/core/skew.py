"""How far this machine's clock is from the store's, from answers that carry its whole seconds."""

from __future__ import annotations

from dataclasses import dataclass

CORRECTED_MAX_MS = 2_000


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
        """What to add to the local clock: nothing while zero is as likely as anything."""
        if not self.known or self.low_ms <= 0 <= self.high_ms:
            return 0
        return (self.low_ms + self.high_ms) // 2

    @property
    def hopeless(self) -> bool:
        """Too far off to be corrected: such a machine must claim nothing."""
        return self.known and (self.low_ms > CORRECTED_MAX_MS or self.high_ms < -CORRECTED_MAX_MS)
