"""Measures the compilation of an expression against croniter's own parser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from croniter import croniter

from bench.measure import Line, at_most, best_sec, told
from bench.schedules import REALISTIC
from onthedot.schedule.expression import cron
from onthedot.schedule.expression.fields import read_field
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.walls import walls_of

RATIO_MAX = 2
TIMES_COLD = 20
RUNS = 20


def lines() -> Iterator[Line]:
    """Compiles with empty caches, then with fields that were seen before."""
    theirs = sum(best_sec(partial(_parse, text), TIMES_COLD) for text in REALISTIC)
    cold = sum(best_sec(partial(compile_schedule, text), TIMES_COLD, _forget) for text in REALISTIC)
    warm = best_sec(_compile_all) / RUNS
    each = 1e6 / len(REALISTIC)
    yield told("croniter's own parse", theirs * each, "µs")
    yield at_most(
        f"compiling, cold: {cold * each:.1f} µs; of croniter's", cold / theirs, RATIO_MAX, "times"
    )
    yield at_most(
        f"compiling, warm: {warm * each:.1f} µs; of croniter's", warm / theirs, RATIO_MAX, "times"
    )


def _parse(text: str) -> None:
    croniter.expand(text, second_at_beginning=True)


def _compile_all() -> None:
    for _ in range(RUNS):
        for text in REALISTIC:
            compile_schedule(text)


def _forget() -> None:
    read_field.cache_clear()
    walls_of.cache_clear()
    cron.memo.clear()
