"""A failing history with the fewest faults, calls and chances that still break the same law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.simulation.faults.faults import Aim, Fault, Place
from tests.simulation.faults.outages import Outage
from tests.simulation.histories import Kept, history, judged
from tests.simulation.laws.running.laws_executions import told as told_executions
from tests.simulation.scene import Scene
from tests.simulation.stage import Stage

REPLAYS_MAX = 150
# What may be switched off as a whole, of the profile and of the scene.
_CHANCES = (
    "slow skew_ms stale short_page double_message late_message shuffle double_tick drop_tick purge "
    "astray clock_steps freezes expires"
).split()
_HANDLERS = "failing killing deaf takes_sec raising poison forged elders".split()


@dataclass(frozen=True, slots=True)
class Chance:
    """A disturbance that is not one fault: messages twice, clocks that differ, failing handlers."""

    name: str


@dataclass(frozen=True, slots=True)
class Made:
    """A fault that came by chance."""

    place: Place
    fault: Fault


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the API."""

    number: int
    name: str
    task_id: str


Part = Chance | Outage | Made | Aim | Called


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What is left of a history, of how many parts, and the laws that it breaks."""

    parts: tuple[Part, ...]
    before: int
    laws: list[str]
    stage: Stage

    def told(self) -> str:
        left = "\n".join(f"  {_said(part)}" for part in self.parts) or "  nothing"
        title = f"of {self.before} disturbances and calls these {len(self.parts)} are enough:"
        executed = told_executions(self.stage.executions)
        return "\n".join([title, left, *self.laws, executed, self.stage.world.story()])


def shrink(scene: Scene, seed: int) -> Shrunk:
    """Leaves out what it can; a history is the same whenever the same is kept of it."""
    whole = history(scene, seed)
    laws = judged(whole, scene)
    broken = {_kind(law) for law in laws}
    parts = _parts(scene, whole)
    best = Shrunk(parts, len(parts), laws, whole)

    def breaks(kept: tuple[Part, ...]) -> bool:
        nonlocal best
        stage = _replayed(scene, seed, kept)
        found = judged(stage, scene)
        if broken & {_kind(law) for law in found}:
            best = Shrunk(kept, len(parts), found, stage)
            return True
        return False

    fewest(parts, breaks)
    return best


def fewest(parts: tuple[Part, ...], breaks: Callable[[tuple[Part, ...]], bool]) -> tuple[Part, ...]:
    """Leaves out all, then halves, quarters and single ones, as long as it breaks."""
    size, replays = len(parts), 0
    while size:
        at, before = 0, len(parts)
        while at < len(parts) and replays < REPLAYS_MAX:
            without = parts[:at] + parts[at + size :]
            replays += 1
            if breaks(without):
                parts = without
            else:
                at += size
        if size > 1:
            size //= 2
        elif len(parts) == before or replays >= REPLAYS_MAX:
            return parts
    return parts


def _kind(law: str) -> str:
    return law.partition(":")[0]


def _parts(scene: Scene, stage: Stage) -> tuple[Part, ...]:
    profile = scene.faults
    chances = [name for name in _CHANCES if getattr(profile, name)]
    chances += [name for name in _HANDLERS if getattr(scene, name)]
    made = [Made(place, fault) for place, fault in stage.world.chooser.drawn.items()]
    calls = [Called(at, act.name, act.task_id) for at, act in enumerate(stage.acts)]
    found: list[Part] = [Chance(name) for name in chances]
    return (*found, *profile.outages, *scene.aims, *made, *calls)


def _replayed(scene: Scene, seed: int, parts: Sequence[Part]) -> Stage:
    """Plays it with these only."""
    names = {part.name for part in parts if isinstance(part, Chance)}
    profile = replace(
        scene.faults,
        outages=tuple(part for part in parts if isinstance(part, Outage)),
        **{name: type(getattr(scene.faults, name))() for name in _CHANCES if name not in names},
    )
    handlers = {name: type(getattr(scene, name))() for name in _HANDLERS if name not in names}
    aims = tuple(part for part in parts if isinstance(part, Aim))
    kept = Kept(
        faults={part.place: part.fault for part in parts if isinstance(part, Made)},
        calls=frozenset(part.number for part in parts if isinstance(part, Called)),
    )
    return history(replace(scene, faults=profile, aims=aims, **handlers), seed, kept=kept)


def _said(part: Part) -> str:
    match part:
        case Chance(name):
            return f"{name}, as the profile says"
        case Made((process, operation, nth), fault) | Aim(process, operation, nth, fault):
            return f"{fault} at {process}, {operation} number {nth}"
        case Called(number, name, task_id):
            return f"call {number}: {name} of {task_id}"
        case _:
            return str(part)
