"""Many histories over all cores: `make simulate SEEDS=100000`, PROFILE= and FIRST= to choose."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tests.mutation.reached import Reached, listen
from tests.simulation.laws.running.laws_executions import told
from tests.simulation.play import coverage, moments
from tests.simulation.play.exhaust import Plan
from tests.simulation.play.moments import Moments, Play, Risk, aimed, shares
from tests.simulation.play.portions import Portion, alone, each, played
from tests.simulation.play.shrink import shrink
from tests.simulation.play.small_history import judged, seconds_of, single_plans
from tests.simulation.profiles.all_profiles import ALL

_PORTION = 50
_SHOWN_MAX = 20
# A whole story is pages long.
_TOLD_MAX = 2
# Each history is told one by one, if there are no more than this.
_EACH_MAX = 100
# A tenth of the histories at most aim at risks: a fault at a line that calls a store or a target.
_AIMED_SHARE = 10


@dataclass(slots=True)
class Session:
    """All that is played, and what came of it."""

    statements: Reached
    moments: Moments
    tells_each: bool
    whole: Portion = field(default_factory=Portion)

    def play(self, plays: Sequence[Play]) -> None:
        """Plays them; what breaks a law is told at once."""
        parts = [plays[at : at + _PORTION] for at in range(0, len(plays), _PORTION)]
        work = [partial(played, part, self.statements, self.moments) for part in parts]
        for portion in each(work):
            self._tell(portion)
            self.whole.add(portion)

    def play_aimed(self, most: int) -> int:
        """Plays histories that each aim at another risk; gives how many were tried."""
        tried: set[Risk] = set()
        while plays := list(self._aimed(tried, most - len(tried)).values()):
            self.play(plays)
        return len(tried)

    def _aimed(self, tried: set[Risk], most: int) -> dict[Risk, Play]:
        found = aimed(self.whole.left, self.whole.together().met | tried, most)
        tried.update(found)
        return found

    def _tell(self, portion: Portion) -> None:
        for play, executed in portion.executions.items() if self.tells_each else ():
            sys.stdout.write(f"{play}: {told(executed)}\n")
        before = len(self.whole.broken)
        for number, (play, laws) in enumerate(portion.broken, before + 1):
            if number <= _SHOWN_MAX:
                sys.stdout.write(f"{play}: {'; '.join(laws[:3])}\n")
            if number <= _TOLD_MAX:
                sys.stdout.write(f"{alone(partial(_shrunk, play))}\n")

    def report(self, sec: float) -> None:
        """Says how many were played, what they cost, and why runs were executed."""
        whole = self.whole
        count = len(whole.executions)
        sys.stdout.write(f"{count} histories in {sec:.0f} s, {len(whole.broken)} break a law\n")
        calls = whole.together().calls
        sys.stdout.write(f"{calls / count:.1f} calls to the stores in the mean history\n")
        sys.stdout.write(f"{told(sum(whole.executions.values(), Counter()))}\n")
        for name, number in Counter(play.profile for play, _ in whole.broken).most_common():
            sys.stdout.write(f"  {name}: {number}\n")


def _shrunk(play: Play) -> str:
    scene = ALL[play.profile]
    return shrink(replace(scene, aims=(*scene.aims, *play.aims)), play.seed).told()


def _second_crashes(first: Plan) -> tuple[int, list[str]]:
    plans = seconds_of(first)
    judged_plans = ((plan, judged(plan)) for plan in plans)
    return len(plans), [f"crashes {plan}: {'; '.join(laws)}" for plan, laws in judged_plans if laws]


def _every_pair() -> int:
    """Crash the small history at each effect and at each that then follows."""
    broken: list[str] = []
    began, count = time.monotonic(), 0
    for number, found in each([partial(_second_crashes, plan) for plan in single_plans()]):
        count += number
        broken += found
    sec = time.monotonic() - began
    sys.stdout.write(f"{count} pairs of crashes in {sec:.0f} s, {len(broken)} break a law\n")
    sys.stdout.writelines(f"{one}\n" for one in broken[:_SHOWN_MAX])
    return len(broken)


def _each_profile(first: int, counts: Mapping[str, int]) -> list[Play]:
    """Gives the plays of each profile: as many seeds as `counts` says, from the first one on."""
    return [
        Play(name, seed) for name, many in counts.items() for seed in range(first, first + many)
    ]


def main() -> int:
    """Plays half of all histories evenly, the rest by what those reach; 1 if any breaks a law."""
    wanted, first = int(os.environ.get("SEEDS", "1000")), int(os.environ.get("FIRST", "0"))
    names = os.environ["PROFILE"].split(",") if os.environ.get("PROFILE") else list(ALL)
    # Thousands of histories log what they put aside.
    logging.disable(logging.CRITICAL)
    pairs = 0 if os.environ.get("PROFILE") else _every_pair()
    began = time.monotonic()
    session = Session(listen(coverage.MODULES), moments.listen(), tells_each=wanted <= _EACH_MAX)
    even = max(1, wanted // (2 * len(names)))
    session.play(_each_profile(first, dict.fromkeys(names, even)))
    rest = max(0, wanted - even * len(names))
    by_aim = session.play_aimed(min(rest, wanted // _AIMED_SHARE))
    session.play(_each_profile(first + even, shares(session.whole.reached, rest - by_aim)))
    session.report(time.monotonic() - began)
    reach = session.whole.together()
    risks = {*reach.met, *session.whole.left}
    sys.stdout.write(f"{len(reach.met)} of {len(risks)} risks were met, {by_aim} aimed at\n")
    if len(names) == len(ALL):
        sys.stdout.writelines(f"{line}\n" for line in coverage.report(reach.points))
    return 1 if session.whole.broken or pairs else 0


if __name__ == "__main__":
    sys.exit(main())
