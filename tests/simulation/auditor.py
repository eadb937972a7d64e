"""The audit of a history: each minute the very function that its Lambda calls, in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lambdas.audit import handler
from onthedot.records import keys
from onthedot.store import invocation_metrics
from onthedot.upkeep import claims_audit, minute, unfired_tasks
from onthedot.upkeep.events import notifications
from tests.simulation.outside.bus import ARN

if TYPE_CHECKING:
    from tests.simulation.machine.process import Process
    from tests.simulation.machine.world import World

Law = Callable[[Any, Any], Iterator[str]]
_FIRST_SEC = 30
# How many shards a history asks at most.
_FEW = 8
# What laws ask of a process by its kind they ask of the act that does it.
_KINDS = {"loops": "step", "exhausted": "note", "pauses": "pauses"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditor:
    """How much of the past it looks at, and what becomes of its minutes."""

    # In production 30 minutes, the day before, and every shard: a history is minutes long.
    look_back_min: int = 4
    whole: bool = False
    # It looks at the day before, though it does not ask every shard.
    further: bool = False
    # No audit begins in between.
    gap: tuple[float, float] = (0.0, 0.0)
    # How late each one is at most, and how many begin at once.
    late_sec: float = 0.0
    at_once: int = 1
    # Its events are told to the bus, which refuses between two seconds, now and then one, or one
    # schedule's always.
    told: bool = False
    refuses: tuple[float, float] = (0.0, 0.0)
    refuses_some: float = 0.0
    never_takes: str = ""
    # How many events one minute tells at most; zero is as in production.
    tells_max: int = 0
    # What comes before the history begins, and what is asked of it at its end.
    prepared: Callable[[Any], None] | None = None
    undone: Callable[[], None] | None = None
    laws: tuple[Law, ...] = ()
    # No other law is asked: the tables do not tell what has happened.
    alone: bool = False
    # Nothing befalls an audit; or how much later all of it may be for what does.
    calm: bool = False
    excused_sec: float = 0.0


def employ(world: World, auditor: Auditor, until_sec: float) -> None:
    """Begins one each minute."""
    for first, until in ((_FIRST_SEC, auditor.gap[0]), (_after(auditor), until_sec)):
        for _ in range(auditor.at_once):
            world.every(
                60,
                "audit",
                lambda _tick: _late(world, auditor),
                first_sec=first,
                until_sec=until,
                limit_sec=minute.LIMIT_SEC,
            )


def set_up(stage: Any, auditor: Auditor) -> None:
    """Lets its bus be as it is to be, and all that comes before the history."""
    stage.auditor = auditor
    if auditor.told:
        stage.places = (ARN,)
    bus, start = stage.world.bus, stage.world.start.timestamp()
    bus.refuses = (start + auditor.refuses[0], start + auditor.refuses[1])
    bus.refuses_some, bus.poison = auditor.refuses_some, auditor.never_takes
    if auditor.prepared is not None:
        auditor.prepared(stage)


@contextmanager
def looking(auditor: Auditor, emitted: Callable[..., None]) -> Iterator[None]:
    """Lets the audit look at so much of the past, and note what it counts."""
    wanted: list[tuple[Any, str, Any]] = [
        (claims_audit, "LOOK_BACK_MIN", auditor.look_back_min),
        (invocation_metrics, "emit", emitted),
    ]
    if auditor.tells_max:
        wanted.append((notifications, "AT_ONCE", auditor.tells_max))
    if not auditor.whole:
        few = keys.SHARDS if keys.SHARDS < _FEW else 1
        wanted += [] if auditor.further else [(claims_audit, "_PART_SEC", 0)]
        wanted += [(unfired_tasks, "SHARDS", few)]
    before = [getattr(module, name) for module, name, _ in wanted]
    for module, name, value in wanted:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(wanted, before, strict=True):
            setattr(module, name, value)
        if auditor.undone is not None:
            auditor.undone()


def name_part(part: Process, work: Callable[[], Any]) -> None:
    """Lets a part of the audit be known by its act."""
    given = getattr(work, "func", work)
    act = next((each.name for each in minute.ACTS if each.do is given), "")
    part.kind = _KINDS.get(act, part.kind)


def step_alone() -> None:
    """Do the one act without an audit, as long as it may work."""
    (act,) = (each for each in minute.ACTS if each.name == "loops")
    act.do(minute.Minute(), act.work_sec)


def _after(auditor: Auditor) -> float:
    minutes = max(0.0, auditor.gap[1] - _FIRST_SEC) / 60
    return _FIRST_SEC + 60 * -(-minutes // 1)


def _late(world: World, auditor: Auditor) -> dict[str, float]:
    if auditor.late_sec:
        world.wait(int(world.random.uniform(0, auditor.late_sec) * 1_000_000))
    return handler({}, None)
