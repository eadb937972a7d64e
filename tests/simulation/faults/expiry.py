"""TTL that deletes: what is over by its own word goes, at once or two days later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from onthedot.records.schema import TTL
from tests.simulation.stores.rows import Key
from tests.simulation.stores.values import Item, number

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

_LOOK_SEC = 2.0
# How often what is over goes right behind a read: between that and the write that rests on it.
_BEHIND_A_READ = 0.2
_SEC_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Vanished:
    """An item that was deleted because its time was over."""

    at_ms: float
    table: str
    key: Key
    item: Item
    # What else there was in the table then.
    others: Mapping[Key, Item]


class Expiry:
    """Follows the stores' logs, so that only what is written lately is looked at."""

    def __init__(self, world: World, random: Random, until_sec: float) -> None:
        self._world = world
        self._random = random
        self._until_sec = until_sec
        self._read: dict[str, int] = {}
        # When each item's time is over, as far as that comes to pass in this history.
        self._mortal: dict[tuple[str, Key], int] = {}
        self.vanished: list[Vanished] = []
        self._look()

    def _look(self) -> None:
        """Finds what has got an end since, and sees half of that off on the second."""
        world = self._world
        now_sec = world.now_us / _SEC_US
        if now_sec + _LOOK_SEC < self._until_sec:
            world.call_at(now_sec + _LOOK_SEC, self._look)
        start_sec = (world.epoch_us() - world.now_us) // _SEC_US
        for name, table in world.store.tables.items():
            log = table.rows._log  # noqa: SLF001  # the store's own log
            for _, key, _ in log[self._read.get(name, 0) :]:
                item = table.rows.items.get(key)
                if item is None or TTL not in item:
                    continue
                end_sec = number(item[TTL]["N"])
                if end_sec > start_sec + self._until_sec:
                    continue
                self._mortal[name, key] = int(end_sec)
                if self._random.random() < 0.5:
                    at_sec = max(now_sec, float(end_sec) - start_sec + 1)
                    world.call_at(at_sec, lambda place=(name, key): self._delete(place))  # type: ignore[misc]
            self._read[name] = len(log)

    def behind_a_read(self) -> None:
        """Deletes some of what is over, at whatever moment that is."""
        if self._mortal and self._random.random() < _BEHIND_A_READ:
            for place in list(self._mortal):
                self._delete(place)

    def _delete(self, place: tuple[str, Key]) -> None:
        world, (name, key) = self._world, place
        table = world.store.tables[name]
        item = table.rows.items.get(key)
        now_sec = world.epoch_us() // _SEC_US
        if item is None or TTL not in item:
            self._mortal.pop(place, None)
        elif number(item[TTL]["N"]) < now_sec:
            self._mortal.pop(place, None)
            table.write(key, item, None, None)
            world.note("expired", f"{name} {key[0]} {key[1]}")
            others = dict(table.rows.items)
            self.vanished.append(Vanished(world.epoch_us() / 1000, name, key, item, others))
