"""Spreads the tests over four workers on two cores: what waits runs beside what computes."""

from __future__ import annotations

import os

import pytest
from xdist.dsession import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

# Tests that share a local stack stay together.
_STACKS = {
    "tests/e2e/test_kill.py": "a local stack to be killed",
    "tests/e2e/": "a local stack",
    "tests/blackbox/": "a local stack for users",
}
# They wait for ticks, leases and processes, and need little of a core.
_WAITING = (
    *_STACKS,
    "tests/engines/test_hostile.py",
    "tests/engines/test_random_kills.py",
    "tests/engines/test_killed.py",
    "tests/engines/test_hung.py",
    "tests/api/runs/test_worker.py",
)
# These take what computes, and give way to the others, whose tests feel a busy core.
_COMPUTING = ("gw2", "gw3")
_NICE = 5


class Spread(LoadScopeScheduling):  # type: ignore[misc]  # xdist is untyped
    """pytest-xdist's own marks for this went wrong with pytest 9.2, which knows tests otherwise."""

    def _split_scope(self, nodeid: str) -> str:
        return next((stack for path, stack in _STACKS.items() if nodeid.startswith(path)), nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Gives the last workers what computes, which lies at the end of the queue."""
        if node.gateway.id in _COMPUTING:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def pytest_configure(config: pytest.Config) -> None:
    if getattr(config, "workerinput", {}).get("workerid") in _COMPUTING:
        os.nice(_NICE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts what waits first; a module's tests keep their order, and so do files in one process."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not item.nodeid.startswith(_WAITING))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Spread:
    return Spread(config, log)
