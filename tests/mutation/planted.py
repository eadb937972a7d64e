"""Faults of strangers: the first of HISTORIES=2000 that shows each of them; NAMES= to choose."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Sequence
from functools import partial

from tests.mutation import alone
from tests.mutation.code import ROOT, outermost, path
from tests.mutation.known import Known, play
from tests.mutation.quiet import quiet
from tests.mutation.reached import Point
from tests.mutation.telling import History
from tests.mutation.trial import first_broken
from tests.simulation.mutants.planted_faults import Mutant, planted
from tests.simulation.mutants.strangers import FAULTS, Fault
from tests.simulation.profiles.all_profiles import ALL

_CPU_SEC, _WALL_SEC = 900, 5_400.0


def main() -> int:
    """Plays and reports; what no history shows is no failure, it is work."""
    most = int(os.environ.get("HISTORIES", "2000"))
    named = os.environ["NAMES"].split(",") if os.environ.get("NAMES") else None
    faults = [each for each in FAULTS if named is None or each.name in named]
    seeds = range(-(-most // len(ALL)))
    known = play(sorted({each.module for each in faults}), seeds)
    _say(f"{len(seeds) * len(ALL)} histories tell what they come to; broken: {known.broken}")
    shown = 0
    for fault in faults:
        told = _told(fault, known, seeds)
        shown += bool(told)
        _say(f"{fault.name}: {told or 'SURVIVED'}")
    _say(f"{shown} of {len(faults)} break a law within {most} histories")
    return 0


def _told(fault: Fault, known: Known, seeds: range) -> str:
    """Names the first history that breaks a law, its place among all, and how many come there."""
    every = sorted(_all(seeds), key=lambda one: (one[0] not in fault.profiles, one[1]))
    places = {history: place for place, history in enumerate(every, 1)}
    coming = _coming(fault, known)
    histories = [each for each in every if coming is None or each in coming]
    work = partial(_shown, fault, histories)
    found, why = alone.answer(work, cpu_sec=_CPU_SEC, wall_sec=_WALL_SEC)
    if found:
        history, law = found
        return f"{places[history]} histories, {history[0]!r} seed {history[1]}: {law}"
    if not why:
        _say(f"  {len(histories)} histories come to {fault.name}")
    return why


def _all(seeds: range) -> list[History]:
    return [(name, seed) for seed in seeds for name in ALL]


def _coming(fault: Fault, known: Known) -> set[History] | None:
    """Gives the histories that come to a changed statement; None: it is in no function."""
    points = _points(fault)
    if not points:
        return None
    return {history for point in points for history in known.by_point[point]}


def _points(fault: Fault) -> list[Point]:
    """Gives the first statement of each function that a hunk lies in, and those of the hunk."""
    text = (ROOT / path(fault.module)).read_text()
    spans = []
    for old, _ in fault.hunks:
        first = text[: text.index(old)].count("\n") + 1
        spans.append((first, first + old.count("\n") - 1))
    return [
        Point(fault.module, name, statement.lineno)
        for name, function in outermost(ast.parse(text))
        for statement in ast.walk(function)
        if isinstance(statement, ast.stmt) and statement is not function
        if any(
            statement.lineno <= last and (statement.end_lineno or 0) >= first
            for first, last in spans
        )
    ]


def _shown(fault: Fault, histories: Sequence[History]) -> tuple[History, str] | None:
    """Plays with the fault in the code."""
    quiet()
    with planted(Mutant(fault.name, fault.sees, fault.patches, fault.profiles)):
        found = first_broken(histories)
    return (histories[found[0]], found[1]) if found else None


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
