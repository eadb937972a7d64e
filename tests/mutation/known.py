"""Histories of the code as it is, and which statements each of them reaches."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, zip_longest
from multiprocessing import get_context

from tests.mutation.quiet import quiet
from tests.mutation.reached import Point, listen
from tests.simulation.histories import verdict
from tests.simulation.profiles import ALL

PROCESSES = 2
History = tuple[str, int]
_COLLECTED_AFTER = 20


@dataclass(slots=True)
class Known:
    """What was played, and what came of it."""

    by_point: dict[Point, list[History]] = field(default_factory=lambda: defaultdict(list))
    # Histories that break a law without any change show nothing.
    broken: list[History] = field(default_factory=list)

    def reaching(self, point: Point, most: int) -> list[History]:
        """Gives histories that come to the statement, of as many profiles as there are."""
        by_profile: dict[str, list[History]] = defaultdict(list)
        for history in self.by_point[point]:
            by_profile[history[0]].append(history)
        turns = chain.from_iterable(zip_longest(*by_profile.values()))
        return [history for history in turns if history is not None][:most]


def play(modules: Sequence[str], seeds: range, profiles: Iterable[str] = ALL) -> Known:
    """Plays these seeds of each profile, in other processes: this one's code stays as it is."""
    asked = [(name, seed) for seed in seeds for name in profiles]
    known = Known()
    with get_context("fork").Pool(PROCESSES, partial(_prepare, modules)) as pool:
        for history, points, laws in pool.imap(_heard, asked, chunksize=8):
            if laws:
                known.broken.append(history)
                continue
            for point in points:
                known.by_point[point].append(history)
    return known


_seen: set[Point] = set()


def _prepare(modules: Sequence[str]) -> None:
    global _seen  # noqa: PLW0603  # one set a process, filled by its code
    quiet()
    gc.disable()
    _seen = listen(modules)


def _heard(history: History) -> tuple[History, frozenset[Point], list[str]]:
    name, seed = history
    _seen.clear()
    laws = verdict(ALL[name], seed)
    if seed % _COLLECTED_AFTER == 0:
        gc.collect()
    return history, frozenset(_seen), laws
