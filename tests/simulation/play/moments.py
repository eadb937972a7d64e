"""Moments: at which line of the flows a call was made, and what has gone wrong there so far."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePath
from types import CodeType
from typing import NamedTuple

from tests.mutation.code import path
from tests.mutation.decision_modules import flows
from tests.mutation.reached import Point
from tests.simulation.faults.effects import Effects
from tests.simulation.faults.faults import Aim, Fault, Place, applies
from tests.simulation.scene import Scene

_SEC_US = 1_000_000
_FLOWS = frozenset(path(module) for module in flows())
# Its lines make calls for other files.
_FOR_OTHERS = frozenset({"conditional_writer.py"})


class Moment(NamedTuple):
    """A call, by the line that makes it."""

    line: str
    operation: str


class Risk(NamedTuple):
    """A fault that may happen at a moment."""

    moment: Moment
    fault: Fault


class Play(NamedTuple):
    """A history, and the faults that must happen in it, added to those of chance."""

    profile: str
    seed: int
    aims: tuple[Aim, ...] = ()

    def __str__(self) -> str:
        aimed = "".join(f", {one.fault} at {one.process} {one.operation}" for one in self.aims)
        return f"{self.profile!r} seed {self.seed}{aimed}"


class Lines(dict[CodeType, str]):
    """Names the file of each function, as moments name it: empty if its lines do not count."""

    def __missing__(self, code: CodeType) -> str:
        file = PurePath(code.co_filename)
        ours = f"onthedot/{code.co_filename.rpartition('/onthedot/')[2]}"
        flow = ours in _FLOWS or ours.startswith("onthedot/api/")
        counts = flow and file.name not in _FOR_OTHERS
        self[code] = f"{file.parent.name}/{file.name}" if counts else ""
        return self[code]


@dataclass(slots=True)
class Moments:
    """What one history came to."""

    # Where each moment came first, and when.
    places: dict[Moment, tuple[Place, int]] = field(default_factory=dict)
    met: set[Risk] = field(default_factory=set)
    _lines: Lines = field(default_factory=Lines)

    def hear(self, place: Place, now_us: int, fault: Fault | None) -> None:
        """Notes a call, by the innermost line of the flows or the API that led to it."""
        frame = sys._getframe(2)  # noqa: SLF001  # the call's own frames, at a thousandth of a trace
        lines = self._lines
        while not (line := lines[frame.f_code]):
            if frame.f_back is None:
                return
            frame = frame.f_back
        moment = Moment(f"{line}:{frame.f_lineno}", place[1])
        if moment not in self.places:
            self.places[moment] = (place, now_us)
        if fault is not None:
            self.met.add(Risk(moment, fault))

    def forget(self) -> None:
        self.places.clear()
        self.met.clear()

    def left(self, scene: Scene, play: Play) -> Iterator[tuple[Risk, Play]]:
        """Gives each risk of the profile that this history did not meet, and a play to meet it."""
        faults, aimed = scene.faults, {(one.process, one.operation, one.nth) for one in play.aims}
        chances = [one for one in Fault if getattr(faults, one.name.lower())]
        for moment, (place, now_us) in self.places.items():
            if now_us >= faults.faults_until_sec * _SEC_US or place in aimed:
                continue
            for fault in chances:
                risk = Risk(moment, fault)
                if risk not in self.met and applies(fault, moment.operation):
                    yield risk, play._replace(aims=(*play.aims, Aim(*place, fault)))


def listen() -> Moments:
    """Lets the calls of this process say where they come from."""
    moments = Moments()
    Effects.heard = moments.hear
    return moments


@dataclass(slots=True)
class Reach:
    """What was reached, and by how many calls."""

    points: set[Point] = field(default_factory=set)
    met: set[Risk] = field(default_factory=set)
    calls: int = 0

    def add(self, other: Reach) -> None:
        self.points |= other.points
        self.met |= other.met
        self.calls += other.calls


def even_calls(reached: Mapping[str, Reach], count: int) -> dict[str, int]:
    """Deals out histories so that each profile makes the same number of calls.

    Faults happen at calls: a profile of long histories needs fewer of them.
    """
    return _dealt({name: 1 / max(1, reach.calls) for name, reach in reached.items()}, count)


def shares(reached: Mapping[str, Reach], count: int) -> dict[str, int]:
    """Deals out histories: a profile gets more if it reaches rare points with few calls."""
    holders: Counter[object] = Counter()
    for reach in reached.values():
        holders.update(reach.points)
        holders.update(reach.met)
    rare = {
        name: sum(1 / holders[one] for one in (*reach.points, *reach.met)) / max(1, reach.calls)
        for name, reach in reached.items()
    }
    return _dealt(rare, count)


def _dealt(weights: Mapping[str, float], count: int) -> dict[str, int]:
    """Deals out a count by weights, down to the last one."""
    total = sum(weights.values()) or 1
    dealt = {name: int(count * weight / total) for name, weight in weights.items()}
    for name in sorted(weights, key=lambda one: -weights[one])[: count - sum(dealt.values())]:
        dealt[name] += 1
    return dealt


def aimed(left: Mapping[Risk, Play], met: Collection[Risk], most: int) -> dict[Risk, Play]:
    """Gives a history for each risk that was not met yet."""
    return dict(islice(((risk, play) for risk, play in left.items() if risk not in met), most))
