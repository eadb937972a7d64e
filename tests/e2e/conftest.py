"""One local stack for all tests of a worker; pytest-xdist keeps a group's tests on one worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from onthedot.local.folder import Folder
from onthedot.local.front import front_door
from onthedot.local.stack import Stack
from tests.e2e.kit import Local, sharing_an_assembly
from tests.engines.place import surroundings

Starting = Callable[..., AbstractContextManager[Stack]]


@pytest.fixture(scope="session")
def starting(tmp_path_factory: pytest.TempPathFactory) -> Starting:
    """What starts a stack in a folder of its own."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen") else base

    @contextmanager
    def start(root: Path) -> Iterator[Stack]:
        folder = Folder(root)
        with folder.held(), front_door(0) as door:
            stack = Stack(folder, door, say=print)
            try:
                with sharing_an_assembly(folder, shared):
                    stack.start()
                yield stack
            finally:
                stack.stop()

    return start


@pytest.fixture(scope="session")
def local(starting: Starting, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    with starting(tmp_path_factory.mktemp("stack") / "onthedot") as stack:
        yield Local.of(stack)


@pytest.fixture
def adapters(local: Local, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The adapters of this process, pointed at the stack."""
    with surroundings(monkeypatch):
        for name, value in local.stack.environment.items():
            monkeypatch.setenv(name, value)
        yield
