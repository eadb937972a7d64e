"""What becomes of one change: histories first, then tests, in processes that may hang or die."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

from tests.mutation import alone
from tests.mutation.changes import Change, plant
from tests.mutation.known import PROCESSES, Known
from tests.mutation.quiet import quiet
from tests.mutation.telling import History
from tests.mutation.tested import first_failed
from tests.simulation.histories import verdict
from tests.simulation.profiles.all_profiles import ALL

HISTORIES_MAX = 300
# A history takes some hundredths of a second of the processor.
_HISTORY_SEC = 20.0
_CPU_SEC, _WALL_SEC = 180, 1_800.0
# Of this many histories the memory is not given back before.
_COLLECTED_EACH = 400


@dataclass(frozen=True, slots=True)
class Trial:
    """A change, and by what it was shown; empty is by nothing."""

    change: Change
    # How many histories come to the statement, of those that are known.
    reaching: int
    history: str = ""
    test: str = ""

    @property
    def survived(self) -> bool:
        return not (self.history or self.test)


def held(changes: Sequence[Change], known: Known) -> Iterator[Trial]:
    """Tries each of them, one on each core; gives them as they end."""
    with ThreadPoolExecutor(PROCESSES) as pool:
        for future in as_completed([pool.submit(tried, each, known) for each in changes]):
            yield future.result()


def tried(change: Change, known: Known) -> Trial:
    """Histories that come to the statement first, then the tests nearest to the module."""
    histories = known.reaching(change.at, HISTORIES_MAX)
    histories += known.further(change.at, HISTORIES_MAX - len(histories))
    trial = partial(Trial, change, len(known.by_point.get(change.at, ())))
    while histories:
        played, found = _played(change, histories)
        if not found:
            break
        if not played or not _broken_alone(histories[played - 1], known):
            return trial(history=found)
        histories = histories[played:]
    return trial(test=first_failed(change))


def _played(change: Change, histories: list[History]) -> tuple[int, str]:
    """Returns how many were played until one broke a law, and which; none is for a process that
    hangs.
    """
    work = partial(_shown, change, histories)
    shown, why = alone.answer(work, cpu_sec=_CPU_SEC, wall_sec=_WALL_SEC)
    return shown or (0, why)


def _broken_alone(history: History, known: Known) -> bool:
    """Tells whether it breaks a law by itself; those that were played before do not."""
    name, seed = history
    if seed < known.seeds_until:
        return False
    return bool(alone.answer(partial(_broken, name, seed), cpu_sec=_CPU_SEC, wall_sec=_WALL_SEC)[0])


def _shown(change: Change, histories: list[History]) -> tuple[int, str]:
    """Names the first history that breaks a law, and its place among them."""
    quiet()
    plant(change)
    if found := first_broken(histories):
        place, law = found
        name, seed = histories[place]
        return place + 1, f"{name!r} seed {seed}: {law}"
    return 0, ""


def first_broken(histories: Sequence[History]) -> tuple[int, str] | None:
    """Plays them until one breaks a law; gives its place, and the law."""
    for place, (name, seed) in enumerate(histories):
        if found := _broken(name, seed):
            return place, found
        if (place + 1) % _COLLECTED_EACH == 0:
            gc.collect()
    return None


def _broken(name: str, seed: int) -> str:
    """Names the first law that breaks; what computes for ever is ended by the signal."""
    signal.setitimer(signal.ITIMER_VIRTUAL, _HISTORY_SEC)
    try:
        laws = verdict(ALL[name], seed)
    except Exception as error:  # noqa: BLE001  # whatever the change broke
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return laws[0][:200] if laws else ""
