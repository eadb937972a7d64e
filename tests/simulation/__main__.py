"""Many histories over all cores: `make simulate SEEDS=100000`, PROFILE= and FIRST= to choose."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from multiprocessing import Pool
from multiprocessing.pool import Pool as ProcessPool

from tests.mutation.reached import Point, Reached, listen
from tests.simulation import coverage, histories
from tests.simulation.collecting import uncollected
from tests.simulation.exhaust import Plan
from tests.simulation.histories import history
from tests.simulation.laws_executions import told
from tests.simulation.operations import OPERATIONS
from tests.simulation.profiles import ALL
from tests.simulation.shrink import shrink
from tests.simulation.small_history import judged as judged_small
from tests.simulation.small_history import seconds_of, single_plans

_PORTION = 50
_SHOWN_MAX = 20
# A whole story is pages long.
_TOLD_MAX = 2
# So many histories at most are told of one by one.
_EACH_MAX = 100
Found = list[tuple[str, int, list[str]]]
Executions = Counter[str]


_reached = Reached()


def _prepare() -> None:
    """Lets the code of this process say which statements its histories reach."""
    global _reached  # noqa: PLW0603  # one a process, filled by its code
    _reached = listen(coverage.MODULES)


def _portion(
    seeds: tuple[str, int, int],
) -> tuple[Found, dict[tuple[str, int], Executions], frozenset[Point], int]:
    """Give those that break a law, why each executed, what they reached, how many calls."""
    name, first, until = seeds
    _reached.forget()
    found: Found = []
    executions, calls = {}, 0
    for seed in range(first, until):
        with uncollected():
            laws, executed, made = _played(name, seed)
        if laws:
            found.append((name, seed, laws))
        executions[name, seed] = executed
        calls += made
    return found, executions, _reached.points(), calls


def _played(name: str, seed: int) -> tuple[list[str], Executions, int]:
    """Keeps nothing of the history, for it can be collected then."""
    stage = history(ALL[name], seed)
    laws = histories.judged(stage, ALL[name])
    return laws, stage.executions, sum(entry[2] in OPERATIONS for entry in stage.world.trace)


def _second_crashes(first: Plan) -> tuple[int, Found]:
    plans = seconds_of(first)
    found = [(f"crashes {plan}", 0, _judged(plan)) for plan in plans]
    return len(plans), [one for one in found if one[2]]


def _judged(plan: Plan) -> list[str]:
    with uncollected():
        return judged_small(plan)


def _every_pair(pool: ProcessPool) -> Found:
    """Crash the small history at each effect and at each that then follows."""
    broken: Found = []
    began, count = time.monotonic(), 0
    for number, found in pool.imap_unordered(_second_crashes, single_plans()):
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
    with Pool(initializer=_prepare) as pool:
        pairs = [] if os.environ.get("PROFILE") else _every_pair(pool)
        for name, _, laws in pairs[:_SHOWN_MAX]:
            sys.stdout.write(f"{name}: {'; '.join(laws[:3])}\n")
        began = time.monotonic()
        for found, counts, points, made in pool.imap_unordered(_portion, portions):
            seen |= points
            calls += made
            executions.update(sum(counts.values(), Counter()))
            _tell_each(counts if each * len(names) <= _EACH_MAX else {})
            _tell_broken(found, broken)
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
