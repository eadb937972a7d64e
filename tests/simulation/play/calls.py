"""How many calls to the stores a mean history makes, at another commit and here.

`python -m tests.simulation.play.calls 9ab8ab5`; SEEDS=3 histories of each profile.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

_HERE = Path(__file__).parents[3]
# The same in both trees; it needs no more than both have.
_COUNT = """
import gc, json, sys
from tests.simulation.histories import history
from tests.simulation.stores.operations import OPERATIONS
from tests.simulation.profiles.all_profiles import ALL
gc.disable()
found = {}
for name, scene in ALL.items():
    calls = 0
    for seed in range(int(sys.argv[1])):
        calls += sum(entry[2] in OPERATIONS for entry in history(scene, seed).world.trace)
    found[name] = calls / int(sys.argv[1])
    gc.collect()
print("CALLS" + json.dumps(found))
"""


def counted(tree: Path, seeds: int) -> dict[str, float]:
    """Plays in that tree; the mean number of calls by profile."""
    # What a test needs of this environment is that of the tree it is in.
    env = os.environ | {"PYTHONPATH": str(tree)}
    command = [sys.executable, "-c", _COUNT, str(seeds)]
    ran = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=True)
    line = next(each for each in ran.stdout.splitlines() if each.startswith("CALLS"))
    found: dict[str, float] = json.loads(line.removeprefix("CALLS"))
    return found


def main() -> None:
    """Prints both, over all profiles of each and over those that both have."""
    commit, seeds = sys.argv[1], int(os.environ.get("SEEDS", "3"))
    with tempfile.TemporaryDirectory() as folder:
        tar = subprocess.run(
            ["git", "archive", commit], cwd=_HERE, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "x", "-C", folder], input=tar, check=True)
        before = counted(Path(folder), seeds)
    now = counted(_HERE, seeds)
    both = before.keys() & now.keys()
    for title, found in ((commit, before), ("here", now)):
        common = mean(found[name] for name in both)
        sys.stdout.write(
            f"{title}: {mean(found.values()):.1f} calls to the stores in the mean history of"
            f" {len(found)} profiles, {common:.1f} in those of the {len(both)} that both have\n"
        )


if __name__ == "__main__":
    main()
