"""Many histories over all cores: `make simulate SEEDS=100000`, PROFILE= and FIRST= to choose."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from typing import NamedTuple, TypeVar

from tests.mutation.alone import answer
from tests.mutation.reached import Point, Reached, listen
from tests.simulation import coverage, histories
from tests.simulation.collecting import never
from tests.simulation.exhaust import Plan
from tests.simulation.histories import history
from tests.simulation.laws_executions import told
from tests.simulation.operations import OPERATIONS
from tests.simulation.profiles import ALL
from tests.simulation.shrink import shrink
from tests.simulation.small_history import judged as judged_small
from tests.simulation.small_history import seconds_of, single_plans

_PORTION = 50
# A history that computes for ever ends its portion: they take some hundredths of a second each.
_PORTION_CPU_SEC, _PORTION_SEC = 900, 7_200.0
_SHOWN_MAX = 20
# A whole story is pages long.
_TOLD_MAX = 2
# So many histories at most are told of one by one.
_EACH_MAX = 100
Found = list[tuple[str, int, list[str]]]
Executions = Counter[str]
_Given = TypeVar("_Given")


class Portion(NamedTuple):
    """What came of some histories of one profile."""

    broken: Found
    executions: dict[tuple[str, int], Executions]
    reached: frozenset[Point]
    calls: int


def _each(work: Sequence[Callable[[], _Given]]) -> Iterator[_Given]:
    """Do each in a process of its own, as many at once as there are cores; give what came of it.

    Such a process ends before it needs to look for cycles, which is a tenth of its time.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = [pool.submit(_alone, one) for one in work]
        for part in as_completed(parts):
            yield part.result()


def _alone(work: Callable[[], _Given]) -> _Given:
    came_of, why = answer(
        partial(_uncollected, work), cpu_sec=_PORTION_CPU_SEC, wall_sec=_PORTION_SEC
    )
    if came_of is None:
        raise RuntimeError(f"{work}: {why}")
    return came_of


def _uncollected(work: Callable[[], _Given]) -> _Given:
    never()
    return work()


def _portion(reached: Reached, name: str, first: int, until: int) -> Portion:
    reached.forget()
    broken: Found = []
    executions, calls = {}, 0
    for seed in range(first, until):
        stage = history(ALL[name], seed)
        if laws := histories.judged(stage, ALL[name]):
            broken.append((name, seed, laws))
        executions[name, seed] = stage.executions
        calls += sum(entry[2] in OPERATIONS for entry in stage.world.trace)
    return Portion(broken, executions, reached.points(), calls)


def _second_crashes(first: Plan) -> tuple[int, Found]:
    plans = seconds_of(first)
    found = [(f"crashes {plan}", 0, judged_small(plan)) for plan in plans]
    return len(plans), [one for one in found if one[2]]


def _every_pair() -> Found:
    """Crash the small history at each effect and at each that then follows."""
    broken: Found = []
    began, count = time.monotonic(), 0
    for number, found in _each([partial(_second_crashes, plan) for plan in single_plans()]):
        count += number
        broken += found
    sec = time.monotonic() - began
    sys.stdout.write(f"{count} pairs of crashes in {sec:.0f} s, {len(broken)} break a law\n")
    return broken


def _tell_each(counts: dict[tuple[str, int], Executions]) -> None:
    for (name, seed), executed in counts.items():
        sys.stdout.write(f"{name!r} seed {seed}: {told(executed)}\n")


def _tell_broken(found: Found, broken: Counter[str]) -> None:
    """Count them, and tell of the first ones."""
    for name, seed, laws in found:
        broken[name] += 1
        if broken.total() <= _SHOWN_MAX:
            sys.stdout.write(f"{name!r} seed {seed}: {'; '.join(laws[:3])}\n")
        if broken.total() <= _TOLD_MAX:
            sys.stdout.write(f"{shrink(ALL[name], seed).told()}\n")


def main() -> int:
    """Spread so many histories evenly over the profiles; 1 if any breaks a law."""
    wanted, first = int(os.environ.get("SEEDS", "1000")), int(os.environ.get("FIRST", "0"))
    names = os.environ["PROFILE"].split(",") if os.environ.get("PROFILE") else list(ALL)
    each = -(-wanted // len(names))
    portions = [
        (name, at, min(at + _PORTION, first + each))
        for at in range(first, first + each, _PORTION)
        for name in names
    ]
    broken: Counter[str] = Counter()
    seen: set[Point] = set()
    calls = 0
    executions: Executions = Counter()
    pairs = [] if os.environ.get("PROFILE") else _every_pair()
    for name, _, laws in pairs[:_SHOWN_MAX]:
        sys.stdout.write(f"{name}: {'; '.join(laws[:3])}\n")
    began, reached = time.monotonic(), listen(coverage.MODULES)
    for portion in _each([partial(_portion, reached, *one) for one in portions]):
        seen |= portion.reached
        calls += portion.calls
        executions.update(sum(portion.executions.values(), Counter()))
        _tell_each(portion.executions if each * len(names) <= _EACH_MAX else {})
        _tell_broken(portion.broken, broken)
    sec = time.monotonic() - began
    count = each * len(names)
    sys.stdout.write(f"{count} histories in {sec:.0f} s, {broken.total()} break a law\n")
    sys.stdout.write(f"{calls / count:.1f} calls to the stores in the mean history\n")
    sys.stdout.write(f"{told(executions)}\n")
    for name, number in broken.most_common():
        sys.stdout.write(f"  {name}: {number}\n")
    for line in coverage.report(seen) if len(names) == len(ALL) else ():
        sys.stdout.write(f"{line}\n")
    return 1 if broken or pairs else 0


if __name__ == "__main__":
    sys.exit(main())
