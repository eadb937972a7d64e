"""The tables and queues of a stack, without the stack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract import engines
from tests.engines.place import Place, surroundings


@pytest.fixture(scope="session")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with engines.dynoxide() as tables, engines.ministack(tmp_path_factory.mktemp("queues")) as sqs:
        yield {"dynamodb": tables, "sqs": sqs}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, urls: dict[str, str]) -> Iterator[Place]:
    with surroundings(monkeypatch):
        yield Place.made(monkeypatch, **urls)
