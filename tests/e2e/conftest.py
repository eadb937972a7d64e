"""One local stack for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from onthedot.local.folder import Folder
from onthedot.local.front import front_door
from onthedot.local.stack import Stack
from tests.e2e.kit import Local, load, sharing_an_assembly
from tests.engines.place import surroundings


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    folder = Folder(tmp_path_factory.mktemp("stack") / "onthedot")
    with folder.held(), front_door(0) as door:
        stack = Stack(folder, door, say=print)
        try:
            with sharing_an_assembly(folder, tmp_path_factory):
                stack.start()
            local = Local.of(stack)
            with pytest.MonkeyPatch.context() as settings, pointed_at(local, settings):
                local.left_to_the_rule.extend(load(1, begin_in_sec=1, for_sec=1))
            yield local
        finally:
            stack.stop()


@pytest.fixture
def adapters(local: Local, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Yields the adapters of this process, pointed at the stack."""
    with pointed_at(local, monkeypatch):
        yield


@contextmanager
def pointed_at(local: Local, settings: pytest.MonkeyPatch) -> Iterator[None]:
    with surroundings(settings):
        for name, value in local.stack.environment.items():
            settings.setenv(name, value)
        yield
