"""`python -m bench [name …]` measures everything, or what is named. It returns 1 if a limit
fails.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from importlib import import_module

from bench.measure import show

BENCHES = {
    "engine": ("next_fire", "compiling", "zone_tables", "text"),
    "dispatch": ("dispatching",),
    "work": ("working",),
    "constant": ("constant",),
    "http": ("http",),
    "arrivals": ("arrivals",),
    "api": ("api", "coming"),
}


def main(names: list[str]) -> int:
    """Runs each bench in a process with its own clients, memory and settings."""
    if unknown := set(names) - set(BENCHES):
        print(f"no bench {', '.join(sorted(unknown))}: expected {', '.join(BENCHES)}")
        return 2
    if len(names) == 1:
        return _measure(names[0])
    each = [[sys.executable, "-m", "bench", name] for name in names or BENCHES]
    return max(subprocess.run(command, check=False).returncode for command in each)


def _measure(name: str) -> int:
    print(f"\n{name} · CPU time, best of five · Python {platform.python_version()}", flush=True)
    started, all_hold = time.perf_counter(), True
    for module in BENCHES[name]:
        all_hold &= show(import_module(f"bench.{module}").lines())
    seconds = time.perf_counter() - started
    print(
        f"{'All limits hold' if all_hold else 'A limit is MISSED'}, in {seconds:.0f} s.", flush=True
    )
    return 0 if all_hold else 1


sys.exit(main(sys.argv[1:]))
