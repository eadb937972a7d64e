"""The time a process sees: its own skewed clock, its own monotonic one, sleeping as waiting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock:
    """Put in the place of the clock adapter. Outside any process it shows the true time."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now_us(self) -> int:
        process = self._world.running
        return self._world.epoch_us() + (0 if process is None else process.skew_us)

    def now_ms(self) -> int:
        return self.now_us() // 1_000

    def time(self) -> float:
        return self.now_us() / 1_000_000

    def now(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.now_us())

    def monotonic(self) -> float:
        return self._world.now_us / 1_000_000

    def sleep(self, seconds: float) -> None:
        self._world.sleep(int(seconds * 1_000_000))
