"""Lambda's event source for a queue: receives, starts a process a batch, deletes what succeeded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.simulation.machine.process import Process
from tests.simulation.stores.queue import Handed
from tests.simulation.stores.sqs import record

if TYPE_CHECKING:
    from tests.simulation.machine.world import World
    from tests.simulation.stores.queue import Message

Event = dict[str, Any]
_NEVER_US = 1 << 62


class Consumer:
    def __init__(  # an event source mapping has these settings
        self,
        world: World,
        queue: str,
        kind: str,
        work: Callable[[Event], Any],
        *,
        batch: int = 10,
        at_once_max: int = 1_000,
        limit_sec: float | None = None,
    ) -> None:
        self._world = world
        self._queue = world.queues.queue(queue)
        self._kind = kind
        self._work = work
        self._batch = batch
        self._at_once_max = at_once_max
        self._limit_sec = limit_sec
        self._busy = 0
        self._poll_us = _NEVER_US
        self._queue.wake = self._wake
        self._wake(0)

    def _wake(self, visible_us: int) -> None:
        """Polls when a message is visible; one poll is under way, the earliest asked for."""
        world = self._world
        ahead_us = max(0, visible_us - world.epoch_us())
        at_us = world.now_us + ahead_us + world.chooser.between_us(world.profile.pickup_ms)
        if at_us < self._poll_us:
            self._poll_us = at_us
            world.push(at_us, self._poll)

    def _poll(self) -> None:
        if self._world.now_us != self._poll_us:
            return  # an earlier one took its place
        self._poll_us = _NEVER_US
        if self._busy >= self._at_once_max:
            return  # one that ends polls again
        messages = self._queue.receive(self._batch, None)
        if messages:
            self._start(messages)
        left = self._queue.messages.values()
        if left:
            self._wake(min(message.visible_us for message in left))

    def _start(self, messages: list[Message]) -> None:
        event = {"Records": [record(message, self._queue) for message in messages]}
        self._busy += 1
        process = self._world.spawn(
            self._kind,
            lambda: self._work(event),
            limit_sec=self._limit_sec,
            ended=lambda process: self._ended(process, messages, event),
        )
        at_us = self._world.epoch_us()
        self._queue.handed += [Handed(at_us, process, one.place, one.body) for one in messages]

    def _ended(self, process: Process, messages: list[Message], event: Event) -> None:
        self._busy -= 1
        self._wake(0)
        if process.dead or process.error is not None:
            return
        answer = process.result or {}
        failed = {one["itemIdentifier"] for one in answer.get("batchItemFailures", ())}
        for message, shown in zip(messages, event["Records"], strict=True):
            if message.message_id not in failed:
                self._queue.delete(message, shown["receiptHandle"])
