"""Faults by the hundred, planted by a program: `make mutate SAMPLE=600 SEED=1`."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import Counter
from random import Random

from tests.mutation.changes import Change, changes
from tests.mutation.code import path
from tests.mutation.decision_modules import modules
from tests.mutation.equivalent import is_known
from tests.mutation.known import play
from tests.mutation.share import told
from tests.mutation.trial import Trial, held

# A small sample is a trial of this tool: it need not know many histories.
_SMALL = 50
_SEEDS, _SEEDS_OF_SMALL = 6, 1


def sample(count: int, seed: int, among: list[str]) -> list[Change]:
    """Draws from all changes that are not known to change nothing."""
    found = [each for module in among for each in changes(module) if not is_known(each)]
    return Random(seed).sample(found, min(count, len(found)))


def main() -> int:
    """Draws, tries and reports; survivors are no failure, they are work."""
    count, seed = int(os.environ.get("SAMPLE", "600")), int(os.environ.get("SEED", "1"))
    named = os.environ.get("MODULES", "").split(",") if os.environ.get("MODULES") else []
    among = [each for each in modules() if not named or each.rpartition(".")[2] in named]
    began = time.monotonic()
    chosen = sample(count, seed, among)
    known = play(sorted({each.module for each in chosen}), range(_seeds(count)))
    _say(f"{len(chosen)} changes; what histories reach took {time.monotonic() - began:.0f} s")
    for history in known.broken:
        _say(f"left out, as it breaks a law without any change: {history}")
    trials = [_shown(trial) for trial in held(chosen, known)]
    _report(trials)
    _say(f"{time.monotonic() - began:.0f} s in all, {_busy_sec():.0f} s of the processor")
    return 0


def _seeds(count: int) -> int:
    return _SEEDS if count > _SMALL else _SEEDS_OF_SMALL


def _busy_sec() -> float:
    """Returns what it took of both cores: a busy machine makes it no longer."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _shown(trial: Trial) -> Trial:
    """Says at once what became of it."""
    if trial.survived:
        _say(f"SURVIVED ({trial.reaching} histories come there) {trial.change}")
    else:
        place = f"{path(trial.change.module)}:{trial.change.line}"
        _say(f"killed at {place} by {trial.history or trial.test}")
    return trial


def _report(trials: list[Trial]) -> None:
    by_history = sum(bool(trial.history) for trial in trials)
    reached = sum(bool(trial.reaching) for trial in trials)
    killed = sum(not trial.survived for trial in trials)
    _say(f"killed by the simulation: {told(by_history, len(trials))}")
    _say(f"  of those that a history comes to: {told(by_history, reached)}")
    _say(f"killed in all: {told(killed, len(trials))}")
    lost = Counter(trial.change.module for trial in trials if trial.survived)
    for module, number in lost.most_common():
        _say(f"  {number} survived in {module}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
