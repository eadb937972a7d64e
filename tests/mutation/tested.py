"""Runs the tests nearest to a change, with the change planted; names the first that fails."""

from __future__ import annotations

import os
import time
from functools import cache, partial

import pytest

from tests.mutation import alone
from tests.mutation.changes import Change, plant
from tests.mutation.code import ROOT
from tests.mutation.nearest import nearest

# Of the processor and by the clock, for the tests of one change; checked between two tests.
_CPU_SEC, _WALL_SEC = 15.0, 600.0
_TRIES = 3


def first_failed(change: Change) -> str:
    """Names the first test that fails by the change alone; empty is none."""
    files = nearest(change.module)
    spared: list[str] = []
    while files and len(spared) < _TRIES:
        found, why = _alone(change, [*files, *(f"--deselect={each}" for each in spared)])
        if why or not found or _passes(found):
            return why or found or ""
        spared.append(found)
    return ""


@cache
def _passes(test: str) -> bool:
    """Tells whether it passes without any change."""
    return not _alone(None, [test])[0]


def _alone(change: Change | None, asked: list[str]) -> tuple[str | None, str]:
    work = partial(_ran, change, asked)
    return alone.answer(work, cpu_sec=int(4 * _CPU_SEC), wall_sec=2 * _WALL_SEC)


def _ran(change: Change | None, asked: list[str]) -> str:
    if change is not None:
        plant(change)
    os.chdir(ROOT)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    watch = _Watch()
    options = ["--numprocesses=0", "-x", "-q", "-p", "no:cacheprovider"]
    pytest.main([*options, *asked], plugins=[watch])
    return watch.failed


class _Watch:
    """Stops between two tests when the budget is spent, and keeps the first that failed."""

    def __init__(self) -> None:
        self.failed = ""
        self._cpu_sec = time.process_time() + _CPU_SEC
        self._wall_sec = time.monotonic() + _WALL_SEC

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._keep(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._keep(report)

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if time.process_time() > self._cpu_sec or time.monotonic() > self._wall_sec:
            item.session.shouldstop = "the budget is spent"

    def _keep(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid
