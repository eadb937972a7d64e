"""The real adapters on real engines: fresh tables and queues a test, fresh clients."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import engines
from tests.engines.place import Place, surroundings


@pytest.fixture(scope="session")
def ministack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engines.ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture(scope="session")
def memory_url() -> Iterator[str]:
    with engines.dynoxide() as url:
        yield url


@pytest.fixture(scope="session")
def disk_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = engines.free_port()
    path = tmp_path_factory.mktemp("dynoxide") / "tables.db"
    with engines.dynoxide_process(port, "--db-path", str(path)):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with surroundings(monkeypatch):
        yield monkeypatch


@pytest.fixture(params=["memory", "disk", "ministack"])
def place(
    request: pytest.FixtureRequest, settings: pytest.MonkeyPatch, ministack_url: str
) -> Place:
    """Returns everything on one of the engines; the queues are MiniStack's."""
    url = request.getfixturevalue(f"{request.param}_url")
    return Place.made(settings, dynamodb=url, sqs=ministack_url)


@pytest.fixture
def quick_place(settings: pytest.MonkeyPatch, memory_url: str, ministack_url: str) -> Place:
    """Returns the local stack: Dynoxide in memory and MiniStack's queues."""
    return Place.made(settings, dynamodb=memory_url, sqs=ministack_url)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Returns where a Dynoxide of the test's own keeps its tables."""
    return tmp_path / f"{time.time_ns()}.db"
