"""Histories of the code as it is, and which statements each of them reaches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, zip_longest
from multiprocessing import get_context

from tests.mutation.code import forget
from tests.mutation.quiet import quiet
from tests.mutation.reached import Point, Reached, listen
from tests.simulation.collecting import uncollected
from tests.simulation.histories import verdict
from tests.simulation.profiles import ALL

PROCESSES = 2
History = tuple[str, int]


@dataclass(slots=True)
class Known:
    """What was played, and what came of it."""

    by_point: dict[Point, list[History]] = field(default_factory=lambda: defaultdict(list))
    # Histories that break a law without any change show nothing.
    broken: list[History] = field(default_factory=list)

    # The first seed that was not played.
    seeds_until: int = 0

    def reaching(self, point: Point, most: int) -> list[History]:
        """Gives histories that come to the statement, of as many profiles as there are."""
        return _in_turns(self._by_profile(point).values())[:most]

    def further(self, point: Point, most: int) -> list[History]:
        """Gives more of those profiles, of which many more will come to the statement."""
        by_profile = self._by_profile(point)
        if not by_profile:
            return []
        seeds = range(self.seeds_until, self.seeds_until + -(-most // len(by_profile)))
        return [(name, seed) for seed in seeds for name in by_profile][:most]

    def _by_profile(self, point: Point) -> dict[str, list[History]]:
        by_profile: dict[str, list[History]] = defaultdict(list)
        for history in self.by_point.get(point, ()):
            by_profile[history[0]].append(history)
        return by_profile


def _in_turns(lists: Iterable[list[History]]) -> list[History]:
    turns = chain.from_iterable(zip_longest(*lists))
    return [history for history in turns if history is not None]


def play(modules: Sequence[str], seeds: range, profiles: Iterable[str] = ALL) -> Known:
    """Plays these seeds of each profile, in other processes: this one's code stays as it is."""
    asked = [(name, seed) for seed in seeds for name in profiles]
    known = Known(seeds_until=seeds.stop)
    heard = partial(_heard, modules)
    with get_context("fork").Pool(PROCESSES, partial(_prepare, modules)) as pool:
        for history, points, laws in pool.imap(heard, asked, chunksize=8):
            if laws:
                known.broken.append(history)
                continue
            for point in points:
                known.by_point[point].append(history)
    return known


_reached = Reached()


def _prepare(modules: Sequence[str]) -> None:
    global _reached  # noqa: PLW0603  # one a process, filled by its code
    quiet()
    _reached = listen(modules)


def _heard(modules: Sequence[str], history: History) -> tuple[History, frozenset[Point], list[str]]:
    name, seed = history
    forget(modules)
    _reached.forget()
    with uncollected():
        laws = verdict(ALL[name], seed)
    return history, _reached.points(), laws
