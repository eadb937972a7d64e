"""One standard SQS queue: at least once, any order, visibility timeouts, a dead-letter queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tests.simulation.machine.process import Process


class Mischief(Protocol):
    """What a standard queue may do to its messages."""

    def delay_us(self) -> int:
        """Returns how much later than asked a message turns up."""

    def copy_after_us(self) -> int | None:
        """Returns when a copy that no delete reaches turns up, if one does."""

    def group(self, named: str | None) -> str | None:
        """Returns the name of the group that a message keeps."""

    def pick(self, visible: list[Message], count: int) -> list[Message]:
        """Returns which of the visible messages are received."""

    def stale_handle_deletes(self) -> bool:
        """Tells whether a handle of an earlier receipt still deletes the message."""


class Calm:
    def delay_us(self) -> int:
        return 0

    def copy_after_us(self) -> int | None:
        return None

    def group(self, named: str | None) -> str | None:
        return named

    def pick(self, visible: list[Message], count: int) -> list[Message]:
        return visible[:count]

    def stale_handle_deletes(self) -> bool:
        return True


@dataclass(slots=True, eq=False)
class Message:
    place: str  # unique in the queue, where the id is not: a copy has the id of its original
    message_id: str
    body: str
    group: str | None
    sent_us: int
    visible_us: int
    received: int = 0
    first_received_us: int = 0
    handle: str = ""
    came_from: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Handed:
    """A message in the hands of a process."""

    at_us: int
    process: Process
    place: str
    body: str


@dataclass(slots=True)
class Queue:
    name: str
    now_us: Callable[[], int]
    visibility_sec: int = 30
    delay_sec: int = 0
    retention_sec: int = 345_600
    receives_max: int | None = None
    dead_letters: Queue | None = None
    mischief: Mischief = field(default_factory=Calm)
    wake: Callable[[int], None] = lambda _: None  # told when a message will be visible
    messages: dict[str, Message] = field(default_factory=dict)
    # When each message came, was received and went, and its body: for the laws.
    story: list[tuple[int, str, str]] = field(default_factory=list)
    # To which process each message was handed, in order: for the laws.
    handed: list[Handed] = field(default_factory=list)
    count: int = 0

    @property
    def arn(self) -> str:
        return f"arn:aws:sqs:us-east-1:000000000000:{self.name}"

    def send(self, body: str, delay_sec: int | None, group: str | None, **extra: Any) -> Message:
        now = self.now_us()
        self.count += 1
        wait_us = (self.delay_sec if delay_sec is None else delay_sec) * 1_000_000
        message = Message(
            place=f"{self.name}-{self.count:06d}",
            message_id=f"{self.name}-{self.count:06d}",
            body=body,
            group=self.mischief.group(group),
            sent_us=now,
            visible_us=now + wait_us + self.mischief.delay_us(),
            attributes=extra,
        )
        self._hold(message)
        return message

    def _hold(self, message: Message) -> None:
        self.story.append((self.now_us(), "held", message.body))
        self.messages[message.place] = message
        self.wake(message.visible_us)

    def receive(self, count: int, visibility_sec: int | None) -> list[Message]:
        now = self.now_us()
        visible = [one for one in self.messages.values() if one.visible_us <= now]
        received: list[Message] = []
        for message in self.mischief.pick(visible, count) if visible else ():
            if now - message.sent_us >= self.retention_sec * 1_000_000:
                del self.messages[message.place]
            elif self.receives_max is not None and message.received >= self.receives_max:
                self._bury(message)
            else:
                received.append(self._received(message, now, visibility_sec))
        return received

    def _received(self, message: Message, now: int, visibility_sec: int | None) -> Message:
        self.story.append((now, "received", message.body))
        message.received += 1
        message.first_received_us = message.first_received_us or now
        message.handle = f"{message.place}/{message.received}"
        wait = self.visibility_sec if visibility_sec is None else visibility_sec
        self.set_visible(message, wait)
        copy_after_us = self.mischief.copy_after_us()
        if copy_after_us is not None:
            self.count += 1
            place = f"{self.name}-{self.count:06d}"
            self._hold(replace(message, place=place, visible_us=now + copy_after_us))
        return message

    def _bury(self, message: Message) -> None:
        del self.messages[message.place]
        self.story.append((self.now_us(), "buried", message.body))
        other = self.dead_letters
        assert other is not None
        message.came_from = self.arn
        message.visible_us = self.now_us()
        message.handle = ""
        other._hold(message)  # noqa: SLF001  # of the same class

    def set_visible(self, message: Message, wait_sec: int) -> None:
        message.visible_us = self.now_us() + wait_sec * 1_000_000
        self.wake(message.visible_us)

    def by_handle(self, handle: str) -> Message | None:
        """Returns the message a handle was given for, whether or not a later
        receipt replaced it.
        """
        return self.messages.get(handle.rpartition("/")[0])

    def delete(self, message: Message, handle: str) -> None:
        if message.handle == handle or self.mischief.stale_handle_deletes():
            gone = self.messages.pop(message.place, None)
            if gone is not None:
                self.story.append((self.now_us(), "deleted", gone.body))

    def purge(self) -> None:
        lost = [(self.now_us(), "lost", message.body) for message in self.messages.values()]
        self.story += lost
        self.messages.clear()
