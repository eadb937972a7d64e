"""Histories in processes of their own, which end with them: what came of each portion."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from tests.mutation.alone import answer
from tests.mutation.reached import Reached
from tests.simulation import histories
from tests.simulation.play.moments import Moments, Play, Reach, Risk
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.stores.operations import OPERATIONS

# A history that computes for ever ends its portion: they take some hundredths of a second each.
_CPU_SEC, _WALL_SEC = 900, 7_200.0
_Given = TypeVar("_Given")


@dataclass(slots=True)
class Portion:
    """What came of some histories."""

    executions: dict[Play, Counter[str]] = field(default_factory=dict)
    broken: list[tuple[Play, list[str]]] = field(default_factory=list)
    # What each profile came to.
    reached: dict[str, Reach] = field(default_factory=dict)
    # What may yet go wrong, each with a history in which it would.
    left: dict[Risk, Play] = field(default_factory=dict)

    def add(self, other: Portion) -> None:
        self.executions |= other.executions
        self.broken += other.broken
        for name, reach in other.reached.items():
            self.of(name).add(reach)
        self.left = other.left | self.left

    def of(self, profile: str) -> Reach:
        return self.reached.setdefault(profile, Reach())

    def together(self) -> Reach:
        whole = Reach()
        for reach in self.reached.values():
            whole.add(reach)
        return whole


def each(work: Sequence[Callable[[], _Given]]) -> Iterator[_Given]:
    """Does each in a process of its own, one on each core; gives in their order what came of it."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for part in [pool.submit(alone, one) for one in work]:
            yield part.result()


def played(plays: Sequence[Play], statements: Reached, moments: Moments) -> Portion:
    """Plays them one after the other."""
    portion = Portion()
    for play in plays:
        statements.forget()
        moments.forget()
        scene = ALL[play.profile]
        stage = histories.history(scene, play.seed, play.aims)
        if laws := histories.judged(stage, scene):
            portion.broken.append((play, laws))
        portion.executions[play] = stage.executions
        calls = sum(entry[2] in OPERATIONS for entry in stage.world.trace)
        portion.of(play.profile).add(Reach(set(statements.points()), set(moments.met), calls))
        for risk, again in moments.left(scene, play):
            portion.left.setdefault(risk, again)
    return portion


def alone(work: Callable[[], _Given]) -> _Given:
    """Does it in a process of its own: this one is copied at any time, and must be as it was."""
    came_of, why = answer(work, cpu_sec=_CPU_SEC, wall_sec=_WALL_SEC)
    if came_of is None:
        raise RuntimeError(f"a portion of histories came to nothing: {why}")
    return came_of
