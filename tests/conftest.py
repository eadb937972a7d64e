"""Spreads the tests over the workers; those that share a local stack stay together."""

from __future__ import annotations

import pytest
from xdist.dsession import Producer
from xdist.scheduler import LoadScopeScheduling


class Spread(LoadScopeScheduling):  # type: ignore[misc]  # xdist is untyped
    """pytest-xdist's own marks for this went wrong with pytest 9.2, which knows tests otherwise."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("tests/e2e/test_kill.py"):
            return "a local stack to be killed"
        if nodeid.startswith("tests/e2e/"):
            return "a local stack"
        if nodeid.startswith("tests/blackbox/"):
            return "a local stack for users"
        return nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Spread:
    return Spread(config, log)
