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
from tests.mutation.known import PROCESSES, History, Known
from tests.mutation.quiet import quiet
from tests.mutation.tested import first_failed
from tests.simulation.histories import verdict
from tests.simulation.profiles import ALL

HISTORIES_MAX = 300
# A history takes some hundredths of a second of the processor.
_HISTORY_SEC = 20.0
_CPU_SEC, _WALL_SEC = 180, 1_800.0
_COLLECTED_AFTER = 20


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
    trial = partial(Trial, change, len(known.by_point[change.at]))
    if histories:
        work = partial(_shown, change, histories)
        found, why = alone.answer(work, cpu_sec=_CPU_SEC, wall_sec=_WALL_SEC)
        if found or why:
            return trial(history=found or why)
    return trial(test=first_failed(change))


def _shown(change: Change, histories: list[History]) -> str:
    """Names the first history that breaks a law."""
    quiet()
    gc.disable()
    plant(change)
    for number, (name, seed) in enumerate(histories, 1):
        if found := _broken(name, seed):
            return f"{name!r} seed {seed}: {found}"
        if number % _COLLECTED_AFTER == 0:
            gc.collect()
    return ""


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
