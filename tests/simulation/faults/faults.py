"""What may go wrong in a history, how often, and when a given thing must."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from tests.simulation.faults.outages import Outage
from tests.simulation.stores.operations import (
    BATCHES,
    OBJECT_OPERATIONS,
    OPERATIONS,
    TARGET_OPERATIONS,
)
from tests.simulation.stores.queue import Message

_SEC_US = 1_000_000
_MS_US = 1_000


class Fault(StrEnum):
    CRASH_BEFORE = "crash before"
    CRASH_AFTER = "crash after"
    LOST = "answer lost"  # done, the caller sees a timeout
    REFUSED = "no connection"  # not done
    REPEATED = "done twice"  # done, the answer lost, and done again by the SDK's own retry
    THROTTLED = "throttled"  # not done
    CONFLICT = "conflict"  # a transaction that met another; not done
    PARTIAL = "part refused"  # of a batch; the rest is done
    TORN = "part done, answer lost"  # of a batch
    SPLIT = "in two halves"  # of a batch, others act in between
    STALL_BEFORE = "stall before"
    STALL_AFTER = "stall after"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Probabilities are for each effect (each tick, each message) while `faults_until_sec`."""

    crash_before: float = 0.0
    crash_after: float = 0.0
    lost: float = 0.0
    refused: float = 0.0
    repeated: float = 0.0
    throttled: float = 0.0
    conflict: float = 0.0
    partial: float = 0.0
    torn: float = 0.0
    split: float = 0.0
    stall_before: float = 0.0
    stall_after: float = 0.0
    faults_max: int = 1_000_000
    faults_until_sec: float = 1e9

    latency_ms: tuple[int, int] = (2, 12)
    slow: float = 0.0  # an effect that takes `slow_ms` instead
    slow_ms: tuple[int, int] = (200, 2_000)
    stall_sec: tuple[float, float] = (5.0, 180.0)
    skew_ms: int = 0  # each process' clock, plus or minus
    astray: float = 0.0  # a process whose clock is off by more than may be corrected
    astray_ms: tuple[int, int] = (4_000, 90_000)
    clock_steps: int = 0  # so often a clock is set while its process is under way, within skew_ms
    freezes: int = 0  # so often a process stops with all of its handlers, wherever they stand
    freeze_sec: tuple[float, float] = (3.0, 90.0)
    expires: bool = False  # TTL deletes

    stale: float = 0.0  # an eventually consistent read of an index or a table
    stale_ms: tuple[int, int] = (10, 5_000)
    index_lag_ms: tuple[int, int] = (0, 0)  # by which each read of any index is behind
    short_page: float = 0.0  # a Query or Scan that ends its page after 1 to 3 items

    double_message: float = 0.0  # at each receipt: a copy turns up that no delete reaches
    double_after_ms: tuple[int, int] = (0, 30_000)
    nameless: float = 0.0  # a message without a MessageGroupId
    late_message: float = 0.0
    late_message_ms: tuple[int, int] = (100, 20_000)
    shuffle: bool = False
    stale_handle_deletes: float = 1.0
    purge: float = 0.0  # a purge at any time of the history, of each queue
    pickup_ms: tuple[int, int] = (0, 50)  # from visible to received

    # What is refused for longer than one call.
    outages: tuple[Outage, ...] = ()

    double_tick: float = 0.0
    drop_tick: float = 0.0
    late_tick_ms: tuple[int, int] = (0, 2_000)


CALM = Profile()
ROUGH = Profile(
    crash_before=0.01,
    crash_after=0.01,
    lost=0.01,
    refused=0.005,
    repeated=0.01,
    throttled=0.01,
    conflict=0.02,
    partial=0.02,
    torn=0.005,
    split=0.05,
    stall_before=0.004,
    stall_after=0.004,
    faults_max=12,
    slow=0.02,
    skew_ms=2_000,
    stale=0.1,
    short_page=0.05,
    double_message=0.05,
    late_message=0.05,
    shuffle=True,
    stale_handle_deletes=0.5,
    double_tick=0.1,
    drop_tick=0.1,
)

_BY_CHANCE = {fault: fault.name.lower() for fault in Fault}
_ON_BATCHES = frozenset({Fault.PARTIAL, Fault.TORN, Fault.SPLIT})
_OF_AWS = frozenset({Fault.THROTTLED, Fault.REPEATED, Fault.REFUSED})


def applies(fault: Fault, operation: str) -> bool:
    if fault in _ON_BATCHES:
        return operation in BATCHES
    if fault is Fault.CONFLICT:
        return operation == "transact_write_items"
    if operation in TARGET_OPERATIONS:
        # Clients that call targets repeat nothing by themselves.
        return fault is not Fault.REPEATED
    return fault not in _OF_AWS or operation in OPERATIONS | OBJECT_OPERATIONS


@dataclass(frozen=True, slots=True)
class Aim:
    """A fault that must happen: at the n-th (from 0) effect `operation` of one process."""

    process: str  # its name: kind and ordinal, as in "dispatch#0"
    operation: str
    nth: int
    fault: Fault
    stall_sec: float = 60.0


# A process, an operation, and which one of its effects of that kind.
Place = tuple[str, str, int]


@dataclass(slots=True)
class Chooser:
    """Draws everything that is left to chance from one seed."""

    profile: Profile
    random: Random
    aims: Iterable[Aim] = ()
    faults: int = 0
    # What came by chance, for a replay; and in a replay all that comes, whatever is drawn.
    drawn: dict[Place, Fault] = field(default_factory=dict)
    only: dict[Place, Fault] | None = None
    _aimed: dict[tuple[str, str, int], Aim] = field(default_factory=dict)
    _table: list[tuple[float, Fault]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._aimed = {(aim.process, aim.operation, aim.nth): aim for aim in self.aims}
        total = 0.0
        for fault, name in _BY_CHANCE.items():
            chance = getattr(self.profile, name)
            if chance:
                total += chance
                self._table.append((total, fault))

    def aimed(self, process: str, operation: str, nth: int) -> Aim | None:
        return self._aimed.get((process, operation, nth)) if self._aimed else None

    def by_chance(self, place: Place, now_us: int) -> Fault | None:
        """Draws in a replay as before, so that all else that is drawn stays as it was."""
        fault = self.fault(now_us, place[1])
        if self.only is not None:
            return self.only.get(place)
        if fault is not None:
            self.drawn[place] = fault
        return fault

    def fault(self, now_us: int, operation: str) -> Fault | None:
        table = self._table
        if not table:
            return None
        drawn = self.random.random()
        if drawn >= table[-1][0] or not self.allowed(now_us):
            return None
        fault = next(fault for total, fault in table if drawn < total)
        if not applies(fault, operation):
            return None
        self.faults += 1
        return fault

    def allowed(self, now_us: int) -> bool:
        profile = self.profile
        return self.faults < profile.faults_max and now_us < profile.faults_until_sec * _SEC_US

    def latency_us(self) -> int:
        low, high = self.profile.latency_ms
        if self.profile.slow and self.random.random() < self.profile.slow:
            low, high = self.profile.slow_ms
        return int((low + (high - low) * self.random.random()) * _MS_US)

    def between_us(self, span_ms: tuple[int, int]) -> int:
        low, high = span_ms
        return int((low + (high - low) * self.random.random()) * _MS_US)

    def stall_us(self) -> int:
        return int(self.random.uniform(*self.profile.stall_sec) * _SEC_US)

    def skew_us(self, now_us: int) -> int:
        skew, astray = self.profile.skew_ms, self.profile.astray
        early = now_us < self.profile.faults_until_sec * _SEC_US
        if astray and self.random.random() < astray and early:
            return self.random.choice((-1, 1)) * self.between_us(self.profile.astray_ms)
        return self.random.randint(-skew, skew) * _MS_US if skew else 0

    def behind_us(self, now_us: int) -> int:
        if self.happens(self.profile.stale, now_us):
            return self.between_us(self.profile.stale_ms)
        return 0

    def index_behind_us(self) -> int:
        return self.between_us(self.profile.index_lag_ms)

    def page_max(self, now_us: int) -> int | None:
        if self.happens(self.profile.short_page, now_us):
            return self.random.randint(1, 3)
        return None

    def happens(self, chance: float, now_us: int) -> bool:
        return (
            chance > 0.0
            and now_us < self.profile.faults_until_sec * _SEC_US
            and self.random.random() < chance
        )

    def some_of(self, count: int) -> set[int]:
        """Returns a part of a batch, neither nothing nor (of several) everything."""
        if count == 1:
            return {0}
        return set(self.random.sample(range(count), self.random.randint(1, count - 1)))


@dataclass(slots=True)
class Postman:
    """A queue's mischief, by the profile."""

    chooser: Chooser
    now_us: Callable[[], int]

    def delay_us(self) -> int:
        chooser = self.chooser
        if chooser.happens(chooser.profile.late_message, self.now_us()):
            return chooser.between_us(chooser.profile.late_message_ms)
        return 0

    def copy_after_us(self) -> int | None:
        chooser = self.chooser
        if chooser.happens(chooser.profile.double_message, self.now_us()):
            return chooser.between_us(chooser.profile.double_after_ms)
        return None

    def pick(self, visible: list[Message], count: int) -> list[Message]:
        if self.chooser.profile.shuffle and len(visible) > 1:
            self.chooser.random.shuffle(visible)
            count = self.chooser.random.randint(1, count)
        return visible[:count]

    def group(self, named: str | None) -> str | None:
        chooser = self.chooser
        return None if chooser.happens(chooser.profile.nameless, self.now_us()) else named

    def stale_handle_deletes(self) -> bool:
        return self.chooser.random.random() < self.chooser.profile.stale_handle_deletes
