"""Lost rows: a run was claimed and listed, and then its row vanishes."""

from __future__ import annotations

from functools import partial
from random import Random

from onthedot.records.attributes import plain_item
from tests.simulation.stage import Stage
from tests.simulation.stores.rows import Key
from tests.simulation.stores.values import Item

_MOMENTS, _BETWEEN_SEC = 6, (70, 290)
_FIRST_MS = 3_000


def prepared(stage: Stage) -> None:
    """Lets the row of a run vanish at each of a few moments, before the run has begun."""
    random = Random(f"lost {stage.world.seed}")
    for _ in range(_MOMENTS):
        at_sec = random.uniform(*_BETWEEN_SEC)
        stage.world.call_at(at_sec, partial(_lose, stage, random))


def _lose(stage: Stage, random: Random) -> None:
    table = stage.world.store.table("runs")
    found = [(key, item) for key, item in table.rows.items.items() if _waits(stage, item)]
    if found:
        key, item = random.choice(sorted(found, key=_by_key))
        table.write(key, item, None, None)
        stage.world.note("lost", " ".join(key))


def _by_key(found: tuple[Key, Item]) -> Key:
    return found[0]


def _waits(stage: Stage, item: Item) -> bool:
    """Tells whether it is claimed, and is due in a while."""
    life = plain_item(item).get("life", {})
    now_ms = stage.world.epoch_us() // 1000
    return bool(life.get("status") == "claimed" and life["due_ms"] > now_ms + _FIRST_MS)
