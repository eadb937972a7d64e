"""A restore in a history: the system stops, tables are set back, an operator mends, it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from onthedot.upkeep import after_restore
from tests.simulation.faults.faults import Postman
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage
from tests.simulation.stores.queue import Message

# Seconds from the start: the time that comes back, the stop, the restore, and the start again.
KEPT, STOPPED, BACK, AGAIN = 425, 900, 1_300, 1_440
_SEC_US = 1_000_000
_TRIES = 12
_CHOICES = (("tasks", "runs"), ("runs",), ("tasks",), ("tasks", "runs"))


@dataclass(slots=True)
class Closed(Postman):
    """Hands nothing out while no worker may start."""

    until_us: int = 0

    def pick(self, visible: list[Message], count: int) -> list[Message]:
        if STOPPED * _SEC_US <= self.now_us() < AGAIN * _SEC_US:
            for message in visible:
                message.visible_us = self.until_us
            return []
        # Named, for a class with slots is another one than its decorator was given.
        return Postman.pick(self, visible, count)


def set_back(stage: Stage) -> tuple[str, ...]:
    """Returns which tables a history sets back."""
    return Random(f"restore {stage.world.seed}").choice(_CHOICES)


def prepared(stage: Stage) -> None:
    """Arranges the stop, the restore, and the command that is run after it."""
    world = stage.world
    again_us = world.epoch_us() + AGAIN * _SEC_US
    for queue in world.queues.queues.values():
        queue.mischief = Closed(world.chooser, lambda: world.now_us, again_us)
    world.call_at(BACK, lambda: _restore(stage, set_back(stage)))
    # Tables of tasks alone need nothing done.
    if "runs" in set_back(stage):
        _operate(stage, BACK + 5, _TRIES)


def _restore(stage: Stage, names: tuple[str, ...]) -> None:
    """Gives tables the content they had; the queues are as they are."""
    world = stage.world
    for name in names:
        table = world.store.table(name)
        past = table.rows._past((BACK - KEPT) * _SEC_US)  # noqa: SLF001  # the store's own log
        for key, then in past.items():
            table.write(key, table.rows.items.get(key), then, None)
    world.note("restored", " and ".join(names))


def _operate(stage: Stage, at_sec: float, tries: int) -> None:
    """Runs `make after-restore`, again until it has come to its end."""

    def ended(process: Process) -> None:
        if (process.dead or process.error is not None) and tries:
            _operate(stage, stage.world.now_us / _SEC_US + 1, tries - 1)

    stage.world.spawn("operator", _mended, at_sec=at_sec, ended=ended)


def _mended() -> list[Any]:
    return list(after_restore.mended())
