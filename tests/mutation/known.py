"""Histories of the code as it is, and which statements each of them reaches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context

from tests.mutation.code import forget
from tests.mutation.quiet import quiet
from tests.mutation.reached import Point, Reached, listen
from tests.mutation.telling import History, in_order
from tests.simulation import histories
from tests.simulation.play.garbage_pause import uncollected
from tests.simulation.profiles.all_profiles import ALL

PROCESSES = 2


@dataclass(slots=True)
class Known:
    """What was played, and what came of it."""

    # Those that tell most come first.
    by_point: dict[Point, list[History]] = field(default_factory=lambda: defaultdict(list))
    # Histories that break a law without any change show nothing.
    broken: list[History] = field(default_factory=list)

    # The first seed that was not played.
    seeds_until: int = 0

    def reaching(self, point: Point, most: int) -> list[History]:
        """Gives histories that come to the statement."""
        return self.by_point.get(point, [])[:most]

    def further(self, point: Point, most: int) -> list[History]:
        """Gives more of those profiles, of which many more will come to the statement."""
        profiles = list(dict.fromkeys(name for name, _ in self.by_point.get(point, ())))
        if not profiles:
            return []
        seeds = range(self.seeds_until, self.seeds_until + -(-most // len(profiles)))
        return [(name, seed) for seed in seeds for name in profiles][:most]


def play(modules: Sequence[str], seeds: range, profiles: Iterable[str] = ALL) -> Known:
    """Plays these seeds of each profile, in other processes: this one's code stays as it is."""
    asked = [(name, seed) for seed in seeds for name in profiles]
    known = Known(seeds_until=seeds.stop)
    reached, effects = {}, {}
    heard = partial(_heard, modules)
    with get_context("fork").Pool(PROCESSES, partial(_prepare, modules)) as pool:
        for history, points, count, laws in pool.imap(heard, asked, chunksize=8):
            if laws:
                known.broken.append(history)
                continue
            reached[history], effects[history] = points, count
    for history in in_order(reached, effects):
        for point in reached[history]:
            known.by_point[point].append(history)
    return known


_reached = Reached()


def _prepare(modules: Sequence[str]) -> None:
    global _reached  # noqa: PLW0603  # one a process, filled by its code
    quiet()
    _reached = listen(modules)


def _heard(
    modules: Sequence[str], history: History
) -> tuple[History, frozenset[Point], int, list[str]]:
    """Gives what it reached, with how many effects, and the laws that it breaks."""
    forget(modules)
    _reached.forget()
    with uncollected():
        effects, laws = _played(*history)
    return history, _reached.points(), effects, laws


def _played(name: str, seed: int) -> tuple[int, list[str]]:
    """Keeps nothing of the history, for it can be collected then."""
    stage = histories.history(ALL[name], seed)
    return len(stage.world.trace), histories.judged(stage, ALL[name])
