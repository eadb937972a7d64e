"""`python -m bench [name …]` measures everything, or what is named; 1 is a limit that is missed."""

from __future__ import annotations

import platform
import sys
import time
from importlib import import_module

from bench.measure import show

# Each is imported when it is its turn: what it needs is no part of another's memory.
BENCHES = {
    "engine": ("next_fire", "compiling", "zone_tables", "text"),
    "dispatch": ("dispatching",),
    "work": ("working",),
    "constant": ("constant",),
    "http": ("http",),
    "api": ("api", "coming"),
}


def main(names: list[str]) -> int:
    """Run the benches one after another."""
    if unknown := set(names) - set(BENCHES):
        print(f"no bench {', '.join(sorted(unknown))}: expected {', '.join(BENCHES)}")
        return 2
    print(f"CPU time, best of five · Python {platform.python_version()} · {platform.machine()}")
    started, all_hold = time.perf_counter(), True
    for name in names or BENCHES:
        print(f"\n{name}")
        for module in BENCHES[name]:
            all_hold &= show(import_module(f"bench.{module}").lines())
    seconds = time.perf_counter() - started
    print(f"\n{'All limits hold' if all_hold else 'A limit is MISSED'}, in {seconds:.0f} s.")
    return 0 if all_hold else 1


sys.exit(main(sys.argv[1:]))
