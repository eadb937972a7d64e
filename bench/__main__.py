"""`python -m bench [name …]` measures everything, or what is named; 1 is a limit that is missed."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator

from bench import (
    api,
    coming,
    compiling,
    constant,
    dispatching,
    http,
    next_fire,
    text,
    working,
    zone_tables,
)
from bench.measure import Line, show

BENCHES: dict[str, tuple[Callable[[], Iterator[Line]], ...]] = {
    "engine": (next_fire.lines, compiling.lines, zone_tables.lines, text.lines),
    "dispatch": (dispatching.lines,),
    "work": (working.lines,),
    "constant": (constant.lines,),
    "http": (http.lines,),
    "api": (api.lines, coming.lines),
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
        for lines in BENCHES[name]:
            all_hold &= show(lines())
    seconds = time.perf_counter() - started
    print(f"\n{'All limits hold' if all_hold else 'A limit is MISSED'}, in {seconds:.0f} s.")
    return 0 if all_hold else 1


sys.exit(main(sys.argv[1:]))
